package dev.plumb.store.upkeep;

import dev.plumb.store.StoreException;
import dev.plumb.store.database.DatabaseFailure;
import dev.plumb.store.write.WriteBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The store's own threads: one writes pending rows, another makes segments and enforces the disk
 * budget, which may take seconds.
 */
public final class UpkeepThreads implements AutoCloseable {
  /** What is done now and then besides writing. */
  public interface Work {
    void run() throws SQLException, IOException;
  }

  private static final long LOOK_MILLIS = 500;

  /** Adding up the files' sizes is not free. */
  private static final int LOOKS_A_RUN = 10;

  private final WriteBuffer buffer;
  private final Work work;
  private final Thread writing;
  private final Thread working;
  private final ReentrantLock turn = new ReentrantLock();
  private final Condition wake = turn.newCondition();
  private volatile boolean closed;
  private volatile Optional<String> problem = Optional.empty();
  private volatile Optional<String> writingProblem = Optional.empty();

  public UpkeepThreads(WriteBuffer buffer, Work work) {
    this.buffer = buffer;
    this.work = work;
    this.writing = Thread.ofPlatform().daemon().name("plumb-store-write").start(this::write);
    this.working = Thread.ofPlatform().daemon().name("plumb-store-keep").start(this::work);
  }

  private void write() {
    while (!closed) {
      try {
        Thread.sleep(LOOK_MILLIS);
        buffer.flush();
        writingProblem = Optional.empty();
      } catch (InterruptedException e) {
        return;
      } catch (StoreException e) {
        writingProblem = Optional.of(e.getMessage());
      }
    }
  }

  private void work() {
    for (int look = 0; !closed; look++) {
      turn.lock();
      try {
        wake.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        if (!closed) {
          look(look % LOOKS_A_RUN == 0);
        }
        problem = Optional.empty();
      } catch (InterruptedException e) {
        return;
      } catch (SQLException | IOException | UncheckedIOException | StoreException e) {
        problem = Optional.of(DatabaseFailure.firstLine(e));
      } finally {
        turn.unlock();
      }
    }
  }

  private void look(boolean alsoWork) throws SQLException, IOException {
    if (buffer.isTableDue()) {
      buffer.startTable();
    }
    if (alsoWork || !buffer.fullTables().isEmpty()) {
      work.run();
    }
  }

  /** Does all the work now. */
  public void settle() {
    turn.lock();
    try {
      buffer.startTable();
      work.run();
    } catch (SQLException e) {
      throw DatabaseFailure.writing(e);
    } catch (IOException e) {
      throw new StoreException("the store could not be written: " + e.getMessage(), e);
    } finally {
      turn.unlock();
    }
  }

  public Optional<String> problem() {
    return writingProblem.or(() -> problem);
  }

  /** Waits until both threads have ended. */
  @Override
  public void close() {
    closed = true;
    turn.lock();
    try {
      wake.signalAll();
    } finally {
      turn.unlock();
    }
    try {
      writing.interrupt();
      writing.join();
      working.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
