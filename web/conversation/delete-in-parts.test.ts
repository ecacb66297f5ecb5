import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteInParts } from './topic-choices.ts'

/** Deletes a topic of three parts. Stops after `stopAfter` parts. Returns the result and the number of calls. */
async function deleteThree(stopAfter = Number.POSITIVE_INFINITY) {
  const controller = new AbortController()
  let [deleted, continued] = [0, 0]
  const isComplete = await deleteInParts({
    async deletePart() {
      deleted += 1
      if (deleted === stopAfter) controller.abort()
      return { complete: deleted === 3 }
    },
    onMore: () => (continued += 1),
    signal: controller.signal,
  })
  return { isComplete, deleted, continued }
}

test('parts are deleted until nothing is left', async () => {
  assert.deepEqual(await deleteThree(), { isComplete: true, deleted: 3, continued: 2 })
})

test('stopping deletes nothing after the current part', async () => {
  assert.deepEqual(await deleteThree(2), { isComplete: false, deleted: 2, continued: 2 })
  assert.deepEqual(await deleteThree(3), { isComplete: true, deleted: 3, continued: 2 })
})
