import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteInParts } from './delete-in-parts.ts'

/** Deletes three parts, unless it is ended after so many of them; returns what came of it. */
async function deleteThree(endAfter = Number.POSITIVE_INFINITY) {
  const end = new AbortController()
  let [deleted, heard] = [0, 0]
  const isComplete = await deleteInParts({
    async deletePart() {
      deleted += 1
      if (deleted === endAfter) end.abort()
      return { complete: deleted === 3 }
    },
    onMore: () => (heard += 1),
    signal: end.signal,
  })
  return { isComplete, deleted, heard }
}

test('parts are deleted until nothing is left', async () => {
  assert.deepEqual(await deleteThree(), { isComplete: true, deleted: 3, heard: 2 })
})

test('stopping deletes nothing after the current part', async () => {
  assert.deepEqual(await deleteThree(2), { isComplete: false, deleted: 2, heard: 2 })
  assert.deepEqual(await deleteThree(3), { isComplete: true, deleted: 3, heard: 2 })
})
