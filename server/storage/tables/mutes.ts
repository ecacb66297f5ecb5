export type MuteTables = {
  mutedUsers: { mutedUserId: number; userId: number; mutedAt: number }
}
