export type BotStorageTables = {
  botStorage: { botId: number; key: string; value: string }
}
