package dev.plumb.unwind;

/**
 * What a table was made of.
 *
 * @param functions described in the file
 * @param badFunctions of these, damaged or in an unknown manner; they are lost or unsupported
 * @param droppedFunctions of these, those beyond the limit of rows
 * @param unsupportedRows rows of the table that say only that they are unsupported
 * @param rulesLost how often a row is unsupported as there were too many rules
 * @param cut whether the file's description broke off
 */
public record TableStatistics(
    long functions,
    long badFunctions,
    long droppedFunctions,
    long unsupportedRows,
    long rulesLost,
    boolean cut) {}
