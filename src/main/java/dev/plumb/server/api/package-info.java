/**
 * The page and its JSON API.
 *
 * <p>Start at {@link dev.plumb.server.api.ApiService}, which has one route per query. {@code
 * ApiParameters} reads the parameters, the {@code …Queries} classes make answers from a {@link
 * dev.plumb.store.History}, and {@code JsonResponse} sends them. {@link
 * dev.plumb.server.api.PageService} serves the page itself. docs/api.md and docs/openapi.json say
 * what each answer holds.
 */
package dev.plumb.server.api;
