export type DigestTables = {
  /** The time at which the server last prepared a digest for a user, even if there was nothing to send. */
  digests: { userId: number; preparedAt: number }
}
