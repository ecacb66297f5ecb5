import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftKeysOf, emitSent, onDraftWritten, readDraft, saveDraft, storeDraft, topicDraftKey } from './drafts.ts'
import { moveTopicDraft } from './moved-drafts.ts'

/** Gives the test a new storage of a browser, whose keys are those of the object. */
function openBrowserStorage(): void {
  const methods: ThisType<Record<string, string>> & Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = {
    getItem(key) {
      return this[key] ?? null
    },
    setItem(key, value) {
      this[key] = value
    },
    removeItem(key) {
      delete this[key]
    },
  }
  Object.assign(globalThis, { localStorage: Object.create(methods) })
}

const ADA = 7
const [tea, coffee] = [
  { channelId: 5, topic: 'Tea' },
  { channelId: 6, topic: 'Coffee' },
]
const keyOf = ({ channelId, topic }: typeof tea) => topicDraftKey(ADA, channelId, topic)

const textsByKey = () => new Map(draftKeysOf(ADA).map((key) => [key, readDraft(key).text]))

test('a draft moves with its topic', () => {
  openBrowserStorage()
  saveDraft(keyOf(tea), { ...tea, text: 'green' })

  moveTopicDraft(ADA, tea, coffee)

  assert.deepEqual(textsByKey(), new Map([[keyOf(coffee), 'green']]))
  assert.deepEqual(readDraft(keyOf(coffee)), { ...coffee, text: 'green' })
})

test('a draft is kept beside the draft of the topic onto which its topic moves', () => {
  openBrowserStorage()
  saveDraft(keyOf(tea), { ...tea, text: 'green' })
  saveDraft(keyOf(coffee), { ...coffee, text: 'black' })

  moveTopicDraft(ADA, tea, coffee)

  const texts = textsByKey()
  assert.equal(texts.get(keyOf(coffee)), 'black')
  assert.deepEqual([...texts.values()].toSorted(), ['black', 'green'])
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

test('white space is no draft, and removes a draft from the server', () => {
  openBrowserStorage()
  const removed: (number | undefined)[] = []
  const stop = onDraftWritten((_, id) => removed.push(id))
  saveDraft(keyOf(coffee), { ...coffee, text: '\n' })
  storeDraft(keyOf(tea), { ...tea, text: 'green', serverId: 3 })

  saveDraft(keyOf(tea), { ...tea, text: ' \n' })

  assert.deepEqual(draftKeysOf(ADA), [])
  assert.deepEqual(removed, [3])
  stop()
})
