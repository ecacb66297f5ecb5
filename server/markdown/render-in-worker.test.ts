import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { setEnvironmentData, Worker } from 'node:worker_threads'
import { SERVER_REQUESTER } from '#lib/fair-queue.ts'
import { compileLinkifier } from './linkifier.ts'
import { CannotRender, RenderThread, renderInWorker, renderMarkdown } from './render.ts'
import { renderers } from './renderers/renderers.ts'
import { emptyScope, type RenderScope } from './scope.ts'
import { toScopeData } from './scope-data.ts'

const STUCK_WORKER = new URL('../../test/markdown/stuck-worker.ts', import.meta.url)

const scope: RenderScope = {
  ...emptyScope,
  realmUrls: ['https://chat.example.com'],
  findUserByName: (name) => (name === 'Zoe' ? { id: 7, fullName: 'Zoe' } : null),
  findUserById: (id) => (id === 8 ? { id, fullName: 'Yan' } : null),
  findGroupByName: (name) => (name === 'backend' ? { id: 3, name } : null),
  findChannelByName: (name) => (name === 'design' ? { id: 5, name } : null),
  findFirstIn: (channelId, topic) => (channelId === 5 && topic === 'a' ? 31 : null),
  findCustomEmoji: (name) => (name === 'tick' ? { url: '/emoji/1.png' } : null),
  linkifiers: [compileLinkifier({ pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://tracker.example.com/{id}' })],
  translateEmoticons: true,
}

const rich = '@**Zoe** @_**Yan|8** @*backend* #**design>a** :tick: :smile: #12 :) https://example.com/a.png\n\n$$a^2$$'

test('the worker thread renders the same HTML as this thread', async () => {
  const text = `${rich}\n\`\`\`python\nprint(1)\n\`\`\``

  const apart = await renderInWorker(text, scope, SERVER_REQUESTER)

  assert.deepEqual(apart, renderMarkdown(text, { ...scope, writers: renderers }))
  assert.match(apart.html, /katex/)
})

test('messages that are rendered at the same time do not mix', async () => {
  const texts = Array.from({ length: 20 }, (_, number) => `$$x_{${number}}$$`)

  const all = await Promise.all(texts.map((text) => renderInWorker(text, scope, SERVER_REQUESTER)))

  for (const [number, { html }] of all.entries()) assert.ok(html.includes(`x_{${number}}`))
})

test('a message that takes too long or fails is abandoned, and the messages waiting behind it are rendered', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const thread = new RenderThread(STUCK_WORKER, { cpu: 200, elapsed: 2000 })
  const data = toScopeData(emptyScope, '')
  const renderings = ['a', 'stuck', 'b', 'broken', 'full', 'c'].map((text) => thread.render(text, data))
  let isGivenUp = false
  renderings[1]?.catch(() => (isGivenUp = true))
  await renderings[0]

  for (; !isGivenUp; await setImmediate()) t.mock.timers.tick(200)

  const ends = await Promise.allSettled(renderings)
  assert.deepEqual(
    ends.map((end) => (end.status === 'fulfilled' ? end.value.rendering.html : end.reason instanceof CannotRender)),
    ['a', true, 'b', true, true, 'c'],
  )
})

test('a message that was rendered in time is accepted, however busy this thread is meanwhile', async () => {
  const slowTexts = new Int32Array(new SharedArrayBuffer(4))
  setEnvironmentData('slow texts', slowTexts)
  const thread = new RenderThread(STUCK_WORKER, { cpu: 1000, elapsed: 1000 })
  const data = toScopeData(emptyScope, '')
  await thread.render('warm', data)

  const rendering = thread.render('slow', data)
  await setTimeout(10)
  // From here on, timers run before messages from the worker are handled.
  await setImmediate()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
  Atomics.wait(slowTexts, 0, 0, 60_000)

  assert.equal((await rendering).rendering.html, 'slow')
})

test('a message is not refused because the machine is busy with other work', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const thread = new RenderThread(STUCK_WORKER, { cpu: 200, elapsed: 60_000 })
  const data = toScopeData(emptyScope, '')
  await thread.render('warm', data)

  const rendering = thread.render('starved', data)
  let isOver = false
  void rendering.finally(() => (isOver = true)).catch(() => {})
  for (let tick = 0; tick < 50; tick++) {
    await setImmediate()
    t.mock.timers.tick(200)
  }
  while (!isOver) await setImmediate()

  assert.equal((await rendering).rendering.html, 'starved')
})

test('messages that were rendered before the thread failed are accepted, even if the failure is reported first', async (t) => {
  const emit = Worker.prototype.emit
  const connection: unknown[] = []
  const { mock } = t.mock.method(
    Worker.prototype,
    'emit',
    function (this: Worker, event: string, ...events: unknown[]) {
      if (event === 'message') return connection.push(...events) > 0
      if (event !== 'error') return emit.call(this, event, ...events)
      mock.restore()
      emit.call(this, event, ...events)
      return connection.every((message) => emit.call(this, 'message', message))
    },
  )
  const thread = new RenderThread(STUCK_WORKER, { cpu: 60_000, elapsed: 60_000 })
  const data = toScopeData(emptyScope, '')

  const ends = await Promise.allSettled(['a', 'broken', 'b'].map((text) => thread.render(text, data)))

  assert.deepEqual(
    ends.map((end) => end.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('an invalid formula keeps its source', async () => {
  assert.equal(
    (await renderInWorker('$$\\frac$$', scope, SERVER_REQUESTER)).html,
    '<p><span class="tex-error">$$\\frac$$</span></p>',
  )
})
