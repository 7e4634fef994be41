/**
 * Encodings: protobuf, variable-length integers, JSON, lines and text. Start at {@link
 * dev.plumb.export.wire.ProtoIn} and {@link dev.plumb.export.wire.ProtoOut}.
 */
package dev.plumb.export.wire;
