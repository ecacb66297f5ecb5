import assert from 'node:assert/strict'
import test from 'node:test'
import { api } from '#api.ts'
import { mayNotAdminister } from '#channels/access.ts'
import { mustBeAdministratorForInvitation, mustBeOwnerToInviteOwners } from '#invitations/inviting/access.ts'
import type { RefusalKind } from '#lib/errors.ts'
import { mustBeAdministrator, mustBeOwner } from '#people/access.ts'
import { noResizing } from '../pictures.ts'
import { openCoverage, uncoveredFields } from '../reference/coverage.ts'
import { noReferenceSchemas } from '../reference/document.ts'
import { documentedErrors } from '../reference/errors.ts'
import { eventOutlines } from '../reference/events.ts'
import { callChannels, callSubscriptions, callTopics } from './channels.ts'
import { callMessages, callReactionsAndFlags, callTyping, callUploads } from './messages.ts'
import { callDeactivation, callExports, callGroups, callInvitations, callOrganization } from './organization.ts'
import {
  callAccounts,
  callBots,
  callDevices,
  callIntegrations,
  callPresence,
  callProfiles,
  callSecondFactors,
  callSettings,
} from './people.ts'
import { callPersonal, callScheduledMessages, callSync, callWebPush } from './personal.ts'
import { openStage, type Stage } from './stage.ts'
import {
  changesNotAudited,
  emittedOneByOne,
  errorsNotReturned,
  eventsNotReceived,
  fieldsNotFilled,
  operationsRefused,
} from './unmet.ts'

const areas: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  messages: callMessages,
  'reactions and flags': callReactionsAndFlags,
  typing: callTyping,
  uploads: callUploads,
  channels: callChannels,
  subscriptions: callSubscriptions,
  topics: callTopics,
  accounts: callAccounts,
  'second factors': callSecondFactors,
  settings: callSettings,
  bots: callBots,
  integrations: callIntegrations,
  profiles: callProfiles,
  devices: callDevices,
  presence: callPresence,
  'what people keep': callPersonal,
  'notices of browsers': callWebPush,
  'scheduled messages': callScheduledMessages,
  'state and events': callSync,
  organization: callOrganization,
  'end of an organization': callDeactivation,
  exports: callExports,
  groups: callGroups,
  invitations: callInvitations,
}

const coverage = openCoverage()
const routes = api.map(({ method, path }) => `${method} ${path}`)
const skip = noReferenceSchemas || noResizing

// The harness checks that the reference documentation allows each response, refusal and event. These tests make sure
// that all of them occur.
for (const [area, call] of Object.entries(areas)) {
  test(`${area}: every operation is called, and its events are received`, { skip }, async () => {
    const stage = await openStage(coverage)
    await call(stage)
    if (call !== callDeactivation) await stage.listen()
  })
}

test('no operation is missing', { skip }, (context) => {
  const count = (counts: ReadonlyMap<string, number>) => counts.values().reduce((sum, one) => sum + one, 0)
  context.diagnostic(
    `${coverage.successes.size} operations, ${count(coverage.successes)} successes, ${coverage.refusals.size} documented errors, ` +
      `${count(coverage.events)} events of ${coverage.events.size} kinds, ${coverage.fields.size} documented fields`,
  )

  assertKnown(
    routes.filter((route) => !coverage.successes.has(route)),
    operationsRefused,
    'call them, with success, in the file of test/contract/ that they belong to; a new area goes into contract.test.ts',
  )
})

test('every kind of event is received, or a reason is listed', { skip }, () => {
  const notReceived = [...eventOutlines().keys()].filter((kind) => !coverage.events.has(kind))

  assertKnown(notReceived, eventsNotReceived)
})

test('every documented error of an operation occurs, or a reason is listed', { skip }, () => {
  const notReturned = routes.flatMap((route) =>
    documentedErrors(route)
      .filter((error) => coverage.successes.has(route) && !coverage.refusals.has(error))
      .map(({ msg }) => `${route}: ${msg}`),
  )

  assertKnown(notReturned, errorsNotReturned)
})

/** Refusals by which an endpoint says that only some roles, or those who administer an object, may call it. */
const administrative: ReadonlySet<RefusalKind> = new Set([
  mayNotAdminister,
  mustBeAdministrator,
  mustBeAdministratorForInvitation,
  mustBeOwner,
  mustBeOwnerToInviteOwners,
])

test('every change that only administrators may make leaves an entry in the audit log, or a reason is listed', {
  skip,
}, () => {
  const changes = api.filter(
    ({ method, refuses }) => method !== 'GET' && refuses.some((kind) => administrative.has(kind)),
  )

  const missing = changes
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => coverage.successes.has(route) && !coverage.audited.has(route))
  assertKnown(
    missing,
    changesNotAudited,
    'record them with `recordAudit`, or give the reason in test/contract/unmet.ts',
  )
})

test('every documented field of responses and events occurs, or a reason is listed', { skip }, () => {
  const answered = [...coverage.successes.keys()].filter((route) => route !== 'GET /events')
  const uncovered = [...answered, ...coverage.events.keys()].flatMap((name) => uncoveredFields(name, coverage.fields))

  assertKnown(
    uncovered.filter((field) => !emittedOneByOne.test(field)),
    fieldsNotFilled,
  )
})

/** Requires that `unmet` lists a reason for everything that does not occur, and nothing else. */
function assertKnown(
  missing: readonly string[],
  reasons: Readonly<Record<string, readonly string[]>>,
  advice = 'cause them in test/contract/, or give the reason in test/contract/unmet.ts',
): void {
  const known = new Set(Object.values(reasons).flat())
  assert.deepEqual(
    missing.filter((name) => !known.has(name)),
    [],
    advice,
  )
  assert.deepEqual(
    [...known].filter((name) => !missing.includes(name)),
    [],
    'these occur: remove them from test/contract/unmet.ts',
  )
}
