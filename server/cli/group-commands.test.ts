import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callServer } from '../../test/processes/call-server.ts'
import { commandsIn } from '../../test/processes/command.ts'
import { createOrganizationIn, startKillableServer } from '../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../test/storage.ts'

test('commands change groups beside a running server, which sends the events to its clients', async () => {
  const folder = await temporaryFolder()
  const ada = await createOrganizationIn(folder)
  const server = await startKillableServer(folder)
  const { run, json } = commandsIn(folder)
  const { queue_id } = await callServer(server, ada, 'POST /register', { event_types: ['user_group'] })

  await json('user', 'create', '--email', 'ben@example.com', '--name', 'Ben')
  const created = await json('group', 'create', 'support', '--description', 'Helps', '--member', 'ada@example.com')
  const added = await json('group', 'add', 'support', 'ben@example.com')
  const renamed = await json('group', 'rename', '@Support', 'helpdesk')
  const members = await json('group', 'members', 'helpdesk')
  await json('group', 'remove', 'helpdesk', 'ada@example.com')
  const ended = await json('group', 'deactivate', String(created.id))
  const back = await json('group', 'reactivate', 'helpdesk')
  const refused = [
    await run('group', 'create', 'HELPDESK'),
    await run('group', 'create', 'others', '--as', 'nobody@example.com'),
    await run('group', 'add', 'helpdesk', 'ben@example.com'),
    await run('group', 'add', 'nonesuch', 'ben@example.com'),
    await run('group', 'rename', 'role:members', 'all'),
  ]
  const { events } = await callServer(server, ada, 'GET /events', { queue_id, last_event_id: -1 })
  const listed = await json('group', 'list')
  const entries = await json('audit', '--category', 'groups')

  assert.deepEqual([created.members, added.direct_members, renamed.name], [1, 2, 'helpdesk'])
  assert.deepEqual(
    members.map((member: { email: string }) => member.email),
    ['ada@example.com', 'ben@example.com'],
  )
  assert.deepEqual([ended.active, back.active], [false, true])
  assert.deepEqual(
    refused.map(({ code, complaint }) => [code, complaint.trim()]),
    [
      [1, "User group 'HELPDESK' already exists."],
      [1, 'There is no account with the address nobody@example.com in Example.'],
      [1, `User ${members[1].user_id} is already a member of this group`],
      [1, 'There is no group nonesuch in Example. `npm run -s parley -- group list` shows all.'],
      [1, 'Insufficient permission'],
    ],
  )
  const ops = (events as { op: string; group_id?: number; group?: { id: number } }[])
    .filter(({ group_id, group }) => (group_id ?? group?.id) === created.id)
    .map(({ op }) => op)
  assert.deepEqual(ops, ['add', 'add_members', 'update', 'remove_members', 'remove', 'add', 'update'])
  const group = listed.find(({ id }: { id: number }) => id === created.id)
  assert.deepEqual([group.name, group.direct_members, group.system, group.active], ['helpdesk', 1, false, true])
  assert.deepEqual(
    entries.map(({ kind, origin, actor_id }: Record<string, unknown>) => [kind, origin, actor_id]),
    [
      ['group_reactivated', 'command', null],
      ['group_deactivated', 'command', null],
      ['group_members_changed', 'command', null],
      ['group_changed', 'command', null],
      ['group_members_changed', 'command', null],
      ['group_created', 'command', null],
    ],
  )
})
