/**
 * Recordings on their way from the process that records to the process that stores them.
 *
 * <p>A folder on disk is all that connects the two: whatever a query does to the server process,
 * recording goes on. Start at {@link dev.plumb.spool.SpoolWriter}, which writes each recording to a
 * file of its own; {@link dev.plumb.spool.SpoolReader} hands them over in order and deletes those
 * that were stored. The store commits a file's number together with its rows, so a crash before the
 * file is deleted adds nothing twice. Used by {@code cli} alone.
 */
package dev.plumb.spool;
