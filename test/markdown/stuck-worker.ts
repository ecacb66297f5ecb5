// A thread that hangs, takes its time, throws or fills its memory when the text says so.
import { parentPort } from 'node:worker_threads'
import type { RenderRequest, RenderResponse } from '../../server/platform/markdown/render-thread.ts'

const tell = (answer: RenderResponse) => parentPort?.postMessage(answer)
const nobody = { mentionedUserIds: [], mentionedGroupIds: [], mentionsChannel: false, mentionsTopic: false }

parentPort?.on('message', ({ id, text }: RenderRequest) => {
  tell({ id, state: 'begun', cpu: process.threadCpuUsage() })
  if (text === 'broken') throw new Error('broken')
  if (text === 'slow') for (const end = performance.now() + 20; performance.now() < end; );
  const kept: number[][] = []
  while (text === 'stuck' || text === 'full') if (text === 'full') kept.push(new Array(1_000_000).fill(kept.length))
  // As on a machine so busy that the thread does not run.
  if (text === 'starved') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  tell({ id, state: 'done', rendering: { html: text, ...nobody }, cpu: process.threadCpuUsage() })
})
