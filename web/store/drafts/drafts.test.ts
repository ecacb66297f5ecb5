import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emitSent, moveDraft, readDraft, saveDraft, topicDraftKey } from './drafts.ts'

/** Gives the test a new storage of a browser. */
function openBrowserStorage(): void {
  const items = new Map<string, string>()
  const localStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  }
  Object.assign(globalThis, { localStorage })
}

const ADA = 7
const [tea, coffee] = [
  { channelId: 5, topic: 'Tea' },
  { channelId: 6, topic: 'Coffee' },
]
const keyOf = ({ channelId, topic }: typeof tea) => topicDraftKey(ADA, channelId, topic)

test('a draft moves with its topic', () => {
  openBrowserStorage()
  saveDraft(keyOf(tea), { ...tea, text: 'green' })

  assert.equal(moveDraft(ADA, tea, coffee), true)

  assert.deepEqual(readDraft(keyOf(coffee)), { ...coffee, text: 'green' })
  assert.deepEqual(readDraft(keyOf(tea)), {})
})

test('a draft stays where it is if its topic moves onto one that has a draft', () => {
  openBrowserStorage()
  saveDraft(keyOf(tea), { ...tea, text: 'green' })
  saveDraft(keyOf(coffee), { ...coffee, text: 'black' })

  assert.equal(moveDraft(ADA, tea, coffee), false)

  assert.equal(readDraft(keyOf(tea)).text, 'green')
  assert.equal(readDraft(keyOf(coffee)).text, 'black')
})

test('what was typed while a message was being sent or scheduled stays as the draft', () => {
  openBrowserStorage()
  const draftAfter = (typed: string) => {
    saveDraft(keyOf(tea), { ...tea, text: typed })
    emitSent(keyOf(tea), 'at noon')
    return readDraft(keyOf(tea)).text
  }

  assert.equal(draftAfter('at noon'), undefined)
  assert.equal(draftAfter('at noon\n\nand more'), 'and more')
  assert.equal(draftAfter('something else'), 'something else')
})
