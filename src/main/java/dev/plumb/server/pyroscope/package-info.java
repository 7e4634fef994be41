/**
 * Pyroscope's API in both directions, so that its clients and Grafana's data source work with
 * Plumb.
 *
 * <p>{@link dev.plumb.server.pyroscope.PyroscopeServices} makes the services. Every message is handled in
 * its protobuf form; {@code MessageSchema} says how each looks in JSON, and {@code JsonToProto} and {@code
 * ProtoToJson} go from one to the other. {@code RpcService} speaks Connect and gRPC; {@code
 * ProfileQuerier} answers the questions, {@code ProfileIntake} takes what is pushed.
 */
package dev.plumb.server.pyroscope;

import dev.plumb.server.pyroscope.ingest.ProfileIntake;
import dev.plumb.server.pyroscope.query.ProfileQuerier;
import dev.plumb.server.pyroscope.wire.JsonToProto;
import dev.plumb.server.pyroscope.wire.MessageSchema;
import dev.plumb.server.pyroscope.wire.ProtoToJson;
import dev.plumb.server.pyroscope.wire.RpcService;
