import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import * as storage from '../bot-storage.ts'

const MAX_KEYS = 1000

const keys = z.array(z.string()).max(MAX_KEYS).optional().describe('If omitted, all keys.')

const getBotStorage = endpoint({
  route: 'GET /bot_storage',
  summary: 'List the stored entries of a bot',
  description: 'Each bot has its own storage.',
  who: 'user',
  params: { keys },
  returns: { storage: z.record(z.string(), z.string()) },
  refuses: [storage.botsOnly, storage.noSuchKey],
  async handle({ db, actor }, given) {
    storage.requireBot(actor)
    return { storage: await storage.requireEntries(db, actor.id, given.keys ?? null) }
  },
})

const putBotStorage = endpoint({
  route: 'PUT /bot_storage',
  summary: 'Store entries for a bot',
  description: 'At most 10,000,000 characters in total. Other entries stay unchanged.',
  who: 'user',
  params: {
    storage: z
      .record(z.string().max(200), z.string())
      .refine((entries) => Object.keys(entries).length <= MAX_KEYS)
      .describe('Values by key.'),
  },
  refuses: [storage.botsOnly, storage.storageFull],
  async handle({ transaction, actor }, given) {
    storage.requireBot(actor)
    await transaction((tx) => storage.storeEntries(tx, actor.id, given.storage))
    return {}
  },
})

const deleteBotStorage = endpoint({
  route: 'DELETE /bot_storage',
  summary: 'Delete stored entries of a bot',
  who: 'user',
  params: { keys },
  refuses: [storage.botsOnly, storage.noSuchKey],
  async handle({ transaction, actor }, given) {
    storage.requireBot(actor)
    await transaction((tx) => storage.removeEntries(tx, actor.id, given.keys ?? null))
    return {}
  },
})

export const botStorageEndpoints = [getBotStorage, putBotStorage, deleteBotStorage]
