import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Span, type Tracer, trace } from '@opentelemetry/api'
import { startChat } from '../harness.ts'

type Recorded = { name: string; attributes: Record<string, unknown>; isEnded: boolean }

/** Returns a tracer that records spans, as an SDK that the operator has loaded. */
function recordingTracer(spans: Recorded[]): Tracer {
  const startSpan: Tracer['startSpan'] = (name, options = {}) => {
    const recorded: Recorded = { name, attributes: { ...options.attributes }, isEnded: false }
    spans.push(recorded)
    const span: Partial<Span> = {
      setAttribute(key, value) {
        recorded.attributes[key] = value
        return span as Span
      },
      setStatus: () => span as Span,
      end() {
        recorded.isEnded = true
      },
    }
    return span as Span
  }
  const startActiveSpan = (name: string, run: (span: Span) => unknown) => run(startSpan(name))
  return { startSpan, startActiveSpan: startActiveSpan as Tracer['startActiveSpan'] }
}

test('with an SDK, each request is a span with its route and status, and each transaction another', async () => {
  const spans: Recorded[] = []
  trace.setGlobalTracerProvider({ getTracer: () => recordingTracer(spans) })
  const chat = await startChat()
  trace.disable()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  spans.length = 0

  await ada.succeed('POST /messages', { type: 'direct', to: [ben.id], content: 'hello' })
  await ada.call('GET /messages/999999')

  assert.ok(spans.every(({ isEnded }) => isEnded))
  const requests = spans.filter(({ name }) => name !== 'transaction')
  assert.deepEqual(
    requests.map(({ name, attributes }) => [name, attributes['http.response.status_code']]),
    [
      ['POST /api/v1/messages', 200],
      ['GET /api/v1/messages/{message_id}', 400],
    ],
  )
  assert.ok(spans.some(({ name }) => name === 'transaction'))
  assert.doesNotMatch(JSON.stringify(spans), /999999/)
})
