import { refusal } from '#lib/errors.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Actor } from './users.ts'

// The alert words of users, and their limit. The words of a whole organization are searched in one pass over a message,
// however many users and words there are.

/** Finds the users whose alert words occur in text. */
type AlertWordIndex = {
  /**
   * Returns the ids of the users who have an alert word that occurs in the text between white space or punctuation.
   * Case is ignored. The time depends on the length of the text, not on the number of words.
   */
  userIdsIn(text: string): Set<number>
}

/** The characters that may precede or follow an alert word. It may also be at the beginning or the end of the text. */
const BEFORE: ReadonlySet<number> = new Set(codesOf(' \n\t("\'.,;[*`>'))
const AFTER: ReadonlySet<number> = new Set(codesOf(' \n\t)"\'.,;]*`?:!'))

/**
 * Builds a trie of the words. All edges are in one map, keyed by node and letter, because a map for each node would
 * need ten times as much memory.
 */
export function indexAlertWords(words: Iterable<{ userId: number; wordKey: string }>): AlertWordIndex {
  const all = [...words]
  const letters = numberLetters(all.map(({ wordKey }) => wordKey))
  const edges = new Map<number, number>()
  const userIds = new Map<number, number[]>()
  let nodes = 1
  for (const { userId, wordKey } of all) {
    let node = 0
    for (let at = 0; at < wordKey.length; at += 1) {
      const edge = node * letters.size + (letters.get(wordKey.charCodeAt(at)) ?? 0)
      let next = edges.get(edge)
      if (next === undefined) {
        next = nodes
        nodes += 1
        edges.set(edge, next)
      }
      node = next
    }
    const ids = userIds.get(node)
    if (ids === undefined) userIds.set(node, [userId])
    else ids.push(userId)
  }

  /** Adds to `found` the nodes of all words that begin at `start` and end at a word boundary. */
  function addWordsFrom(text: Uint16Array, start: number, found: Set<number>): void {
    let node = 0
    for (let at = start; at < text.length; at += 1) {
      const letter = letters.get(text[at] as number)
      const next = letter === undefined ? undefined : edges.get(node * letters.size + letter)
      if (next === undefined) return
      node = next
      if (userIds.has(node) && (at + 1 === text.length || AFTER.has(text[at + 1] as number))) found.add(node)
    }
  }

  return {
    userIdsIn(given) {
      if (all.length === 0) return new Set()
      const text = codesOf(given.toLowerCase())
      const found = new Set<number>()
      for (let start = 0; start < text.length; start += 1)
        if (start === 0 || BEFORE.has(text[start - 1] as number)) addWordsFrom(text, start, found)
      return new Set([...found].flatMap((node) => userIds.get(node) ?? []))
    },
  }
}

function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at += 1) codes[at] = text.charCodeAt(at)
  return codes
}

function numberLetters(words: readonly string[]): Map<number, number> {
  const letters = new Map<number, number>()
  for (const word of words) {
    for (let at = 0; at < word.length; at += 1) {
      const code = word.charCodeAt(at)
      if (!letters.has(code)) letters.set(code, letters.size)
    }
  }
  return letters
}

const alertWordIndex = defineCache<number, AlertWordIndex>({
  // The query also reads the organizations of accounts, which never change.
  dependsOn: ['alertWords'],
  limit: 100,
  async load(db, realmId) {
    const words = await db
      .selectFrom('alertWords')
      .innerJoin('users', 'users.id', 'alertWords.userId')
      .select(['userId', 'wordKey'])
      .where('users.realmId', '=', realmId)
      .execute()
    return indexAlertWords(words)
  },
})

/** Returns the ids of the users in the organization whose alert words occur in the text. */
export async function findAlertedUserIds(db: Db, realmId: number, text: string): Promise<Set<number>> {
  return (await alertWordIndex.get(db, realmId)).userIdsIn(text)
}

/** Returns the user's alert words in the order in which they were added. */
export async function findAlertWords(db: Db, userId: number): Promise<string[]> {
  const rows = await db.selectFrom('alertWords').select('word').where('userId', '=', userId).orderBy('id').execute()
  return rows.map((row) => row.word)
}

/** Saves alert words, except those that the user already has. Case is ignored. */
export async function saveAlertWords(tx: Transaction, userId: number, words: readonly string[]): Promise<void> {
  for (const word of words) {
    await tx
      .insertInto('alertWords')
      .values({ userId, word, wordKey: word.toLowerCase() })
      .onConflict((on) => on.doNothing())
      .execute()
  }
}

/** Deletes the user's alert words that match these words. Case is ignored. */
async function deleteAlertWords(tx: Transaction, userId: number, words: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('alertWords')
    .where('userId', '=', userId)
    .where(
      'wordKey',
      'in',
      words.map((word) => word.toLowerCase()),
    )
    .execute()
}

export const tooManyAlertWords = refusal('BAD_REQUEST', 400, 'You can have at most {limit} alert words.', {
  field: 'alert_words',
})

/** The maximum number of alert words that a user can have. */
export const MAX_ALERT_WORDS = 500

/** Adds alert words for the actor, except empty ones. Returns all of the actor's alert words. */
export async function addAlertWords(tx: Transaction, actor: Actor, given: readonly string[]): Promise<string[]> {
  await saveAlertWords(tx, actor.id, trimmedWords(given))
  const words = await findAlertWords(tx.db, actor.id)
  if (words.length > MAX_ALERT_WORDS) throw tooManyAlertWords({ limit: MAX_ALERT_WORDS })
  return emitAlertWords(tx, actor, words)
}

/** Removes some of the actor's alert words. Returns the remaining ones. */
export async function removeAlertWords(tx: Transaction, actor: Actor, given: readonly string[]): Promise<string[]> {
  await deleteAlertWords(tx, actor.id, trimmedWords(given))
  return emitAlertWords(tx, actor, await findAlertWords(tx.db, actor.id))
}

function emitAlertWords(tx: Transaction, actor: Actor, words: string[]): string[] {
  tx.emit(actor.realmId, { type: 'alert_words', alert_words: words }, [actor.id])
  return words
}

function trimmedWords(words: readonly string[]): string[] {
  return words.map((word) => word.trim()).filter((word) => word !== '')
}
