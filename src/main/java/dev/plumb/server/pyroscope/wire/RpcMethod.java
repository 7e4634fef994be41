package dev.plumb.server.pyroscope.wire;

import java.util.function.UnaryOperator;

/**
 * One method of a service; it takes a message and returns one, both in protobuf.
 *
 * @param path {@code /package.Service/Method}
 * @param heavy whether it runs through the scheduler
 */
public record RpcMethod(
    String path,
    MessageSchema request,
    MessageSchema response,
    boolean heavy,
    int maxBody,
    UnaryOperator<byte[]> method) {}
