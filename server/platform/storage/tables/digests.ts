export type DigestTables = {
  /** When the server last prepared a digest for a user, whether there was something to send or not. */
  digests: { userId: number; preparedAt: number }
}
