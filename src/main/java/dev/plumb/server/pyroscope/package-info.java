/**
 * Pyroscope's API in both directions, so that its clients and Grafana's data source work with
 * Plumb.
 *
 * <p>{@link dev.plumb.server.pyroscope.Pyroscope} makes the services. Every message is handled in
 * its protobuf form; {@code Schema} says how each looks in JSON, and {@code JsonToProto} and {@code
 * ProtoToJson} go from one to the other. {@code RpcService} speaks Connect and gRPC; {@code
 * Querier} answers the questions, {@code Intake} takes what is pushed.
 */
package dev.plumb.server.pyroscope;
