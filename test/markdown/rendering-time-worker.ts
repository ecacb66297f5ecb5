// A thread that measures the CPU time for rendering messages: the minimum of several runs, which take turns.
import { createSecretKey } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { compileLinkifier } from '#markdown/linkifier.ts'
import { renderMarkdown } from '#markdown/render.ts'
import { renderers } from '#markdown/renderers/renderers.ts'
import type { RenderScope } from '#markdown/scope.ts'

export type Task = { readonly texts: readonly string[]; readonly runs: number }

const scope: RenderScope = {
  realmUrls: ['https://chat.example.com'],
  findUserByName: (fullName) => ({ id: 1, fullName }),
  findUserById: (id) => ({ id, fullName: 'a' }),
  findGroupByName: (name) => ({ id: 1, name }),
  findChannelByName: (name) => ({ id: 1, name }),
  findFirstIn: () => 12,
  findCustomEmoji: () => null,
  linkifiers: [compileLinkifier({ pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://tracker.example.com/{id}' })],
  translateEmoticons: true,
  codeLanguage: '',
  previewsMedia: true,
  images: new Map(),
  externalContentKey: { secret: createSecretKey(Buffer.alloc(32)), privateHosts: [] },
  linkPreviews: new Map(),
  writers: renderers,
}

/** The minimum duration of a measurement in microseconds, so that coarse clocks do not matter. */
const MIN_COUNT = 2000

/**
 * Returns the CPU time of the whole process in microseconds, because the clocks of threads are coarse: no other work
 * may be running.
 */
function cpuTime(text: string, times: number): number {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time++) renderMarkdown(text, scope)
  const { user, system } = process.cpuUsage(before)
  return user + system
}

parentPort?.on('message', ({ texts, runs }: Task) => {
  const quickest = Math.min(...texts.map((text) => cpuTime(text, 1)))
  const times = Math.ceil(MIN_COUNT / quickest)
  const measured = Array.from({ length: runs }, () => texts.map((text) => cpuTime(text, times)))
  parentPort?.postMessage(texts.map((_, index) => Math.min(...measured.map((run) => run[index] ?? 0))))
})
