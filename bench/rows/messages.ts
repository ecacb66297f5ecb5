import { byCpuTime, figures, measureLatency } from '../measure.ts'
import { type BenchUser, writeRequest } from '../request.ts'
import { compare, httpSide } from '../rounds.ts'
import { atLeast, type Row } from '../row.ts'
import { startNoOp, startServer, succeed } from '../servers.ts'

const CONNECTIONS = 10
const PEOPLE = 100
const MESSAGES = 1000

function fetchRow(name: string, appliesMarkdown: boolean): Row {
  return {
    name,
    goal: atLeast(0.45, 'at least 45 % of the no-op'),
    async measure(tools) {
      await using own = await startServer(tools, { people: PEOPLE, channels: 1, messages: MESSAGES })
      const requests = Array.from({ length: 5000 }, () => {
        const person = own.people[tools.random.below(PEOPLE)] as BenchUser
        const id = own.messageIds[tools.random.below(MESSAGES)]
        return writeRequest(`GET /messages/${id}`, appliesMarkdown ? {} : { apply_markdown: false }, person)
      })
      const { text } = await succeed(own.port, requests[0] as Buffer)
      await using base = await startNoOp({ routes: [{ method: 'GET', path: '/api/v1/messages/:id', body: text }] })

      const load = {
        port: own.port,
        connections: CONNECTIONS,
        next: () => requests[tools.random.below(requests.length)] as Buffer,
      }
      const comparison = await compare(httpSide(own.child, load), httpSide(base.child, { ...load, port: base.port }))
      const latency = await measureLatency(load, comparison.own.rate, tools)
      return { ...(await figures(own.child, comparison)), ...byCpuTime(comparison), latency }
    },
  }
}

export const messageRows: readonly Row[] = [fetchRow('message-fetch-html', true), fetchRow('message-fetch-raw', false)]
