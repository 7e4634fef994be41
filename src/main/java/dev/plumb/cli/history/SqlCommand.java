package dev.plumb.cli.history;

import dev.plumb.cli.options.StoreFolder;
import dev.plumb.cli.text.Colours;
import dev.plumb.cli.text.SafeText;
import dev.plumb.cli.text.ShownNames;
import dev.plumb.cli.text.Terminal;
import dev.plumb.cli.text.TextTable;
import dev.plumb.store.ReadableStore;
import dev.plumb.store.SqlTable;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumb sql QUERY}: any question that a SELECT can ask. */
@Command(
    name = "sql",
    description =
        "Runs a SELECT on the store's views: samples, minutes, hours, series, stacks,"
            + " frames, processes, quality.",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:success",
      "1:the store cannot be read, or the query failed",
      "2:wrong usage"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  plumb sql \"SELECT comm, sum(value)/1e9 AS seconds FROM hours GROUP BY comm\"",
      "  plumb sql --csv \"SELECT * FROM samples WHERE pid = 1234 ORDER BY time\"",
      "docs/sql.md lists the columns of each view.",
      "If plumb serve is running, it answers; only its user and root may ask it."
    })
public final class SqlCommand extends StoreCommand {
  @Parameters(paramLabel = "QUERY", description = "A single SELECT, in DuckDB's SQL.")
  private String query;

  @Mixin private StoreFolder folder = new StoreFolder();

  @Option(
      names = "--csv",
      description = "Print comma-separated values (default if not on a terminal).")
  private boolean csv;

  @Option(names = "--json", description = "Print an array of JSON objects.")
  private boolean json;

  @Option(names = "--table", description = "Print a table (default on a terminal).")
  private boolean table;

  @Override
  int ask() {
    if ((csv ? 1 : 0) + (json ? 1 : 0) + (table ? 1 : 0) > 1) {
      return wrongUsage("use one of --csv, --json and --table");
    }
    try (ReadableStore store = folder.open()) {
      if (json) {
        SqlJson rows = new SqlJson(out());
        store.sql(query, rows);
        rows.end();
      } else if (csv || !table && System.console() == null) {
        boolean seen = Terminal.isStandardOutput();
        store.sql(query, new SqlCsv(out(), seen ? SafeText::lines : UnaryOperator.identity()));
      } else {
        SqlText rows = new SqlText();
        store.sql(query, rows);
        rows.print(out(), Colours.ofStandardOutput());
      }
    }
    return FINE;
  }

  /** Rows that are printed when all are known. */
  private static final class SqlText implements SqlTable {
    private TextTable text = new TextTable();

    @Override
    public void columns(List<String> names, List<Boolean> numeric) {
      String[] heads = new String[names.size()];
      for (int i = 0; i < heads.length; i++) {
        heads[i] = (numeric.get(i) ? "" : "<") + ShownNames.clean(names.get(i));
      }
      text = new TextTable(heads);
    }

    @Override
    public void row(List<String> cells, boolean[] nulls) {
      String[] row = new String[cells.size()];
      for (int i = 0; i < row.length; i++) {
        row[i] = nulls[i] ? "–" : ShownNames.clean(cells.get(i));
      }
      text.row(row);
    }

    void print(PrintWriter out, Colours colours) {
      text.print(out, colours);
    }
  }
}
