/**
 * The page and its JSON API.
 *
 * <p>Start with {@link dev.plumb.server.api.ApiService}: a route a question. {@code ApiParameters} reads what a
 * question's parameters mean, the classes named after answers make them of a {@link
 * dev.plumb.store.History}, {@code JsonResponse} sends them. {@link dev.plumb.server.api.PageService}
 * serves the page itself. docs/api.md and docs/openapi.json say what each answer holds.
 */
package dev.plumb.server.api;
