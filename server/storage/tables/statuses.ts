export type StatusTables = {
  userStatuses: {
    userId: number
    text: string
    /** The three columns are null together. */
    emojiName: string | null
    emojiCode: string | null
    reactionType: string | null
    setAt: number
    /** The time at which the server clears the status; null if it stays. */
    endsAt: number | null
  }
}
