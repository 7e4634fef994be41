package dev.plumb.unwind;

/**
 * What a table was made of.
 *
 * @param functions how many the file describes
 * @param badFunctions how many of these are damaged or described in an unknown way, and therefore
 *     lost or unsupported
 * @param droppedFunctions how many of these are beyond the limit of rows
 * @param unsupportedRows rows of the table that only say that they are unsupported
 * @param rulesLost how many rows are unsupported because there were too many rules
 * @param cut whether the file's description is incomplete
 */
public record TableStatistics(
    long functions,
    long badFunctions,
    long droppedFunctions,
    long unsupportedRows,
    long rulesLost,
    boolean cut) {}
