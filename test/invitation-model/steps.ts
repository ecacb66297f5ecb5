import { fc } from '../fast-check.ts'
import type { Grants, Level, Permission } from './model.ts'

/** The users who act, by name. Ada owns the organization throughout. */
export const NAMES = ['ada', 'ann', 'ben', 'cleo'] as const

type Choice = { who: string; which: number }
type Acceptance = { which: number; email: string }

/** The parameters of each action; `which` selects one of the existing invitations, old or new. */
export type StepParameters = {
  invite: { who: string; email: string; grants: Grants }
  link: { who: string; grants: Grants; maxUses: number | null; domain: string | null }
  resend: Choice
  revoke: Choice
  extend: Choice & { minutes: number | null }
  look: { which: number }
  'accept elsewhere': { which: number }
  accept: Acceptance
  'accept twice at once': Acceptance
  wait: { seconds: number }
  'change role': { of: string; role: number }
  deactivate: { who: string }
  reactivate: { who: string }
  allow: { permission: Permission; level: Level }
  archive: { channel: string }
  'toggle default': { channel: string }
  join: { who: string }
  leave: { who: string }
  'deactivate group': object
  'create account': { email: string }
}

export type Step = { [What in keyof StepParameters]: { does: What } & StepParameters[What] }[keyof StepParameters]

const anyone = fc.constantFrom(...NAMES)
const others = fc.constantFrom('ann', 'ben', 'cleo')
const which = fc.nat()
const email = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'A', 'B'), fc.constantFrom('x.com', 'y.com'))
  .map((parts) => parts.join('@'))
const minutes = fc.constantFrom(1, 10, 60, 14_400, 20_000, null)
const channel = fc.constantFrom('open', 'usual', 'secret')
const role = fc.oneof(
  { weight: 3, arbitrary: fc.constant(400) },
  { weight: 2, arbitrary: fc.constantFrom(100, 200, 300, 600) },
)
const grants: fc.Arbitrary<Grants> = fc.record({
  role,
  channels: fc.uniqueArray(channel, { maxLength: 3 }),
  hasGroup: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
  hasDefaults: fc.boolean(),
  minutes,
})

const does = <const What extends string>(what: What) => fc.constant(what)

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ does: does('invite'), who: anyone, email, grants }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: does('link'),
      who: anyone,
      grants,
      maxUses: fc.constantFrom(null, 1, 2),
      domain: fc.constantFrom(null, null, 'x.com'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: does('resend'), who: anyone, which }) },
  { weight: 2, arbitrary: fc.record({ does: does('revoke'), who: anyone, which }) },
  { weight: 3, arbitrary: fc.record({ does: does('extend'), who: anyone, which, minutes }) },
  { weight: 4, arbitrary: fc.record({ does: does('look'), which }) },
  { weight: 1, arbitrary: fc.record({ does: does('accept elsewhere'), which }) },
  { weight: 8, arbitrary: fc.record({ does: does('accept'), which, email }) },
  { weight: 4, arbitrary: fc.record({ does: does('accept twice at once'), which, email }) },
  { weight: 4, arbitrary: fc.record({ does: does('wait'), seconds: fc.constantFrom(1, 60, 600, 3600, 86_400) }) },
  { weight: 2, arbitrary: fc.record({ does: does('change role'), of: others, role }) },
  { weight: 1, arbitrary: fc.record({ does: does('deactivate'), who: others }) },
  { weight: 2, arbitrary: fc.record({ does: does('reactivate'), who: others }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: does('allow'),
      permission: fc.constantFrom(
        'can_invite_users_group',
        'create_multiuse_invite_group',
        'can_add_subscribers_group',
      ) as fc.Arbitrary<Permission>,
      level: fc.constantFrom(
        'role:members',
        'role:members',
        'role:administrators',
        'role:nobody',
      ) as fc.Arbitrary<Level>,
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: does('toggle default'), channel: fc.constantFrom('open', 'usual') }) },
  { weight: 1, arbitrary: fc.record({ does: does('join'), who: others }) },
  { weight: 1, arbitrary: fc.record({ does: does('leave'), who: others }) },
  { weight: 1, arbitrary: fc.record({ does: does('create account'), email }) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      { weight: 3, arbitrary: fc.record({ does: does('archive'), channel }) },
      { weight: 1, arbitrary: fc.record({ does: does('deactivate group') }) },
    ),
  },
)
