// A thread that hangs, delays, throws or fills its memory, depending on the text.
import { getEnvironmentData, parentPort } from 'node:worker_threads'
import type { RenderRequest, RenderResponse } from '#markdown/render.ts'

const send = (answer: RenderResponse) => parentPort?.postMessage(answer)

/** A number shared with the main thread, which becomes 1 when the slow text is rendered. */
const slowTexts = getEnvironmentData('slow texts') as Int32Array | undefined

const nobody = {
  mentionedUserIds: [],
  mentionedGroupIds: [],
  mentionsChannel: false,
  mentionsTopic: false,
  previewableUrls: [],
}

parentPort?.on('message', ({ id, text }: RenderRequest) => {
  send({ id, state: 'begun', cpu: process.threadCpuUsage() })
  if (text === 'broken') throw new Error('broken')
  if (text === 'slow') for (const end = performance.now() + 20; performance.now() < end; );
  const kept: number[][] = []
  while (text === 'stuck' || text === 'full') if (text === 'full') kept.push(new Array(1_000_000).fill(kept.length))
  // Simulates a machine that is too busy to run the thread.
  if (text === 'starved') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  send({ id, state: 'done', rendering: { html: text, ...nobody }, cpu: process.threadCpuUsage() })
  if (text !== 'slow' || slowTexts === undefined) return
  Atomics.store(slowTexts, 0, 1)
  Atomics.notify(slowTexts, 0)
})
