/**
 * What Grafana and Pyroscope's clients ask: {@code querier.v1.QuerierService} and {@code
 * /pyroscope/render}.
 *
 * <p>Start at {@link dev.plumb.server.pyroscope.query.ProfileQuerier}. {@code SelectRequest} reads
 * what most requests have in common; {@code NameTree} merges stacks by names, and {@code
 * FlameGraph} and {@code DotGraph} draw it.
 */
package dev.plumb.server.pyroscope.query;
