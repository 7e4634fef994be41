package dev.plumb.server.pyroscope;

import java.util.function.UnaryOperator;

/**
 * One method of a service: its message in, its message out, both as protobuf.
 *
 * @param path {@code /package.Service/Method}
 * @param heavy whether it waits for its turn
 */
record Rpc(
    String path,
    Schema request,
    Schema response,
    boolean heavy,
    int maxBody,
    UnaryOperator<byte[]> method) {}
