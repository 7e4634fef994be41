/**
 * Options that several commands share, and what they stand for: targets, receivers of pushes,
 * stores, folders, secrets, rights.
 */
package dev.plumb.cli.options;
