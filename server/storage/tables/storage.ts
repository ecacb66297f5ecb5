export type StorageTables = {
  /**
   * Counters for ids that follow the order of commits. Each row is updated late in its transaction, and stays locked
   * until the commit.
   */
  counters: { name: string; value: number }

  /** Facts about the installation: the id of its folder of files, and the time of the last start. */
  installation: { name: string; value: string }
}
