/**
 * How entries of debug information are encoded: sections, unit headers, abbreviations, forms.
 *
 * <p>Start at {@link dev.plumb.dwarf.form.SectionReader} and {@link
 * dev.plumb.dwarf.form.Abbreviations}. Total on any input. For {@code dev.plumb.dwarf} alone.
 */
package dev.plumb.dwarf.form;
