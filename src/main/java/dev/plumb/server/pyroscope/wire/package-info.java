/**
 * How messages travel: over Connect or gRPC, in protobuf or JSON.
 *
 * <p>Start at {@link dev.plumb.server.pyroscope.wire.RpcService}. All code handles messages in
 * their protobuf form; a {@link dev.plumb.server.pyroscope.wire.MessageSchema} names the fields of
 * a message, and {@link dev.plumb.server.pyroscope.wire.JsonToProto} and {@link
 * dev.plumb.server.pyroscope.wire.ProtoToJson} translate with its help. For the rooms of {@code
 * dev.plumb.server.pyroscope} alone.
 */
package dev.plumb.server.pyroscope.wire;
