// The worker thread that renders long messages one after another and reports when each begins and ends.
import { parentPort } from 'node:worker_threads'
import { type RenderRequest, type RenderResponse, renderMarkdown } from './render.ts'
import { renderers } from './renderers/renderers.ts'
import { fromScopeData } from './scope-data.ts'

const port = parentPort
const notify = (answer: RenderResponse) => port?.postMessage(answer)

port?.on('message', ({ id, text, scope }: RenderRequest) => {
  notify({ id, state: 'begun', cpu: process.threadCpuUsage() })
  try {
    const rendering = renderMarkdown(text, fromScopeData(scope, renderers))
    notify({ id, state: 'done', rendering, cpu: process.threadCpuUsage() })
  } catch (error) {
    notify({ id, state: 'failed', reason: String(error), cpu: process.threadCpuUsage() })
  }
})
