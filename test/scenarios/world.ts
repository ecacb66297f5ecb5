import { basic, encode, type Params, succeeded } from './answers.ts'
import type { Answer, Request } from './wire.ts'

/** The parts of a request that differ from the usual ones. */
type RequestOverrides = { query?: Params; host?: string; headers?: Request['headers'] }

/** An account and its calls. */
export type Person = {
  readonly id: number
  readonly email: string
  readonly name: string
  readonly apiKey: string
  readonly password: string
  readonly joinedAt: number
  /** Calls an operation under /api/v1. Parameters are sent in the query for GET and HEAD, otherwise in a form. */
  call(route: string, params?: Params, departure?: RequestOverrides): Promise<Answer>
  /** Like `call`, but requires a success and returns its body. */
  succeed(route: string, params?: Params): Promise<Answer['body']>
}

const PEOPLE = [
  'owner',
  'admin',
  'moderator',
  'alice',
  'bob',
  'carol',
  'guest',
  'deactivated',
  'alicebot',
  'webhookbot',
] as const
const CHANNELS = ['pub', 'def1', 'web', 'shared', 'protected', 'archived'] as const
const PASSWORD = 'correct horse battery'

/** An organization: its users by name, and the ids of its channels. */
export type World = Record<(typeof PEOPLE)[number], Person> & {
  readonly id: number
  readonly host: string
  readonly name: string
  readonly subdomain: string
  readonly url: string
  readonly channels: Record<(typeof CHANNELS)[number], number>
  changeSettings(settings: Record<string, unknown>): Promise<void>
  /** Changes an account with the testing API. */
  changeUser(person: Person, change: Record<string, unknown>): Promise<void>
  /** Creates another account; its default address is `<name>@<subdomain>.example.com`. */
  createUser(name: string, options?: { role?: number; email?: string }): Promise<Person>
  /** Creates a channel, with its creator as the first subscriber, and returns its id. */
  createChannel(maker: Person, name: string, options?: Record<string, unknown>): Promise<number>
  /** Creates a user group and returns its id. */
  createGroup(name: string, members: readonly Person[], options?: Record<string, unknown>): Promise<number>
  /** Returns the id of a system group by its name. */
  systemGroup(name: string): Promise<number>
}

/** The functions that a world needs. */
type Backend = {
  request(request: Request): Promise<Answer>
  testing(route: string, body?: unknown): Promise<Answer['body']>
}

/** Returns the users and channels of a new organization, as the testing API returned them. */
export function toWorld(server: Backend, { organization, users, channels }: Answer['body']): World {
  const { id, host, name, subdomain, url } = organization
  const people = Object.fromEntries(PEOPLE.map((each) => [each, toPerson(server, host, users[each])]))
  const { owner, ...others } = people as Record<(typeof PEOPLE)[number], Person>
  return {
    owner,
    ...others,
    id,
    host,
    name,
    subdomain,
    url,
    channels: Object.fromEntries(CHANNELS.map((each) => [each, channels[each].stream_id])) as World['channels'],
    changeSettings: (settings) => server.testing(`PATCH /testing/organizations/${id}`, settings),
    changeUser: (person, change) => server.testing(`PATCH /testing/users/${person.id}`, change),
    async createUser(given, { role, email = `${given}@${subdomain}.example.com` } = {}) {
      const { user_id } = await owner.succeed('POST /users', { email, password: PASSWORD, full_name: given })
      if (role !== undefined) await server.testing(`PATCH /testing/users/${user_id}`, { role })
      const form = encode({ username: email, password: PASSWORD })
      const { body: key } = await server.request({ method: 'POST', path: '/api/v1/fetch_api_key', host, form })
      const { user } = await owner.succeed(`GET /users/${user_id}`)
      return toPerson(server, host, { ...user, api_key: key.api_key, email, password: PASSWORD })
    },
    async createChannel(maker, given, options = {}) {
      await maker.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: given }], ...options })
      return (await maker.succeed('GET /get_stream_id', { stream: given })).stream_id
    },
    async createGroup(given, members, options = {}) {
      const ids = members.map((member) => member.id)
      const made = await owner.succeed('POST /user_groups/create', {
        name: given,
        description: '',
        members: ids,
        ...options,
      })
      return made.group_id
    },
    async systemGroup(given) {
      const { user_groups } = await owner.succeed('GET /user_groups')
      return user_groups.find((group: { name: string }) => group.name === given).id
    },
  }
}

function toPerson(server: Backend, host: string, user: Answer['body']): Person {
  const person: Person = {
    id: user.user_id,
    email: user.email,
    name: user.full_name,
    apiKey: user.api_key,
    password: user.password,
    joinedAt: Math.floor(Date.parse(user.date_joined) / 1000),
    async call(route, params = {}, departure = {}) {
      const [method = '', path = ''] = route.split(' ')
      const inQuery = method === 'GET' || method === 'HEAD'
      const query = encode(departure.query ?? (inQuery ? params : {}))
      return server.request({
        method,
        path: `/api/v1${path}${query === '' ? '' : `?${query}`}`,
        host: departure.host ?? host,
        headers: { authorization: basic(person.email, person.apiKey), ...departure.headers },
        ...(!inQuery && { form: encode(params) }),
      })
    },
    succeed: async (route, params) => succeeded(await person.call(route, params)),
  }
  return person
}
