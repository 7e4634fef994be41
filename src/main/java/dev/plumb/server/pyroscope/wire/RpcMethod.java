package dev.plumb.server.pyroscope.wire;

import java.util.function.UnaryOperator;

/**
 * One method of a service: its message in, its message out, both as protobuf.
 *
 * @param path {@code /package.Service/Method}
 * @param heavy whether it waits for its turn
 */
public record RpcMethod(
    String path,
    MessageSchema request,
    MessageSchema response,
    boolean heavy,
    int maxBody,
    UnaryOperator<byte[]> method) {}
