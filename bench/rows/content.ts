import { byCpuTime, byRate, figures, measureLatency } from '../measure.ts'
import { inTurn, writeRequest } from '../request.ts'
import { compare, httpSide } from '../rounds.ts'
import { atLeast, type Row } from '../row.ts'
import { startNoOp, startServer, succeed } from '../servers.ts'
import { bareSide, rowsOf } from './writes.ts'

const CONNECTIONS = 10
const MESSAGES = 100

/** A kilobyte of typical text: a mention, links, a table, a quote, lists. */
const TEXT = [
  'Hello @**Person 1**, the **numbers** of #**channel 0** are in, see https://example.com/reports?week=1 :tada:',
  '| week | done | *open* |\n|-----:|:----:|--------|\n| 1 | 12 | `a` and `b` |\n| 2 | 20 | none |',
  '> What about the rest?',
  '* It comes **later**\n* or ~~never~~\n  * as [agreed](https://example.com/minutes)',
]
  .join('\n\n')
  .padEnd(1024, ' That is all for now.')

const renderRow: Row = {
  name: 'render-1kb',
  goal: atLeast(0.05, 'at least 5 % of the no-op'),
  async measure(tools) {
    await using own = await startServer(tools, { people: 100, channels: 1 })
    const requests = own.people.map((person) => writeRequest('POST /messages/render', { content: TEXT }, person))
    const { text } = await succeed(own.port, requests[0] as Buffer)
    await using base = await startNoOp({ routes: [{ method: 'POST', path: '/api/v1/messages/render', body: text }] })

    const load = { port: own.port, connections: CONNECTIONS, next: inTurn(requests) }
    const comparison = await compare(httpSide(own.child, load), httpSide(base.child, { ...load, port: base.port }))
    const latency = await measureLatency(load, comparison.own.rate, tools)
    return { ...(await figures(own.child, comparison)), ...byCpuTime(comparison), latency }
  },
}

const fetchRow: Row = {
  name: 'fetch-100',
  goal: atLeast(0.025, 'at least 2.5 % of the no-op'),
  async measure(tools) {
    await using own = await startServer(tools, { people: 100, channels: 1, messages: MESSAGES })
    const page = { anchor: 'newest', num_before: MESSAGES, num_after: 0 }
    const requests = own.people.map((person) => writeRequest('GET /messages', page, person))
    const { text, json } = await succeed(own.port, requests[0] as Buffer)
    const found = (json['messages'] as unknown[]).length
    if (found !== MESSAGES) throw new Error(`There are ${found} messages rather than ${MESSAGES}`)
    await using base = await startNoOp({ routes: [{ method: 'GET', path: '/api/v1/messages', body: text }] })

    const load = { port: own.port, connections: CONNECTIONS, next: inTurn(requests) }
    const comparison = await compare(httpSide(own.child, load), httpSide(base.child, { ...load, port: base.port }))
    const latency = await measureLatency(load, comparison.own.rate, tools)
    return { ...(await figures(own.child, comparison)), ...byCpuTime(comparison), latency }
  },
}

/** A message with a record for each of ten thousand users. */
const sendRow: Row = {
  name: 'send-channel-10000',
  goal: atLeast(0.4, 'at least 40 % of a bare transaction of as many rows'),
  async measure(tools) {
    const size = { people: 10_000, channels: 1 }
    await using own = await startServer(tools, size)
    const message = { type: 'channel', to: String(own.channels[0]?.id), topic: 'news', content: 'Lunch is **ready**' }
    const requests = own.people.slice(0, 100).map((person) => writeRequest('POST /messages', message, person))
    await using bare = await bareSide(tools, await rowsOf(tools, size, requests[0] as Buffer))

    const load = { port: own.port, connections: 1, next: inTurn(requests) }
    const comparison = await compare(httpSide(own.child, load), bare.side)
    const latency = await measureLatency(load, comparison.own.rate, tools)
    return { ...(await figures(own.child, comparison)), ...byRate(comparison), latency }
  },
}

export const contentRows: readonly Row[] = [renderRow, fetchRow, sendRow]
