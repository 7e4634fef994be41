/**
 * What all services need to read requests and to refuse them: bodies within limits, JSON, error
 * codes, counters.
 *
 * <p>Start at {@link dev.plumb.server.http.Refusal}, the exception for every request that is not
 * served, and at {@link dev.plumb.server.http.RequestBody}, which reads bodies. {@link
 * dev.plumb.server.http.BodyMemoryBudget} bounds the memory that all bodies take together. Used by
 * all rooms of {@code dev.plumb.server}, and by nothing else.
 */
package dev.plumb.server.http;
