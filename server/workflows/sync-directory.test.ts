import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { saveExternalIdentity } from '#identity/external-identities.ts'
import { isDirectoryProblem } from '#identity/ldap.ts'
import { findDirectories } from '#identity/providers.ts'
import { Role } from '#rules/role.ts'
import { collectLog } from '../../test/collected-log.ts'
import { type Chat, type Person, type StartOptions, startChat } from '../../test/harness.ts'
import { noResizing, picture } from '../../test/pictures.ts'
import { commandsIn } from '../../test/processes/command.ts'
import { BASE, type Slapd, slapdAbsent, startSlapd } from '../../test/slapd.ts'
import { temporaryFolder } from '../../test/storage.ts'
import { syncDirectory } from './sync-directory.ts'

const skip = slapdAbsent

let started: Slapd | undefined

type Declared = Parameters<Slapd['signInFile']>[0]

async function start(declared: Declared = {}, { another, ...options }: StartOptions & { another?: Declared } = {}) {
  started ??= await startSlapd()
  const file = started.signInFile(declared)
  if (another !== undefined) file.ldap.push(...started.signInFile({ id: 'other', ...another }).ldap)
  const chat = await startChat({ ...options, settings: { SIGN_IN_FILE: file } })
  await chat.change({ invite_required: false })
  const owner = await chat.user('olga', { role: Role.owner })
  return { slapd: started, chat, owner }
}

/** Adds people to the directory, who sign in once; returns their ids here. */
async function join({ slapd, chat }: { slapd: Slapd; chat: Chat }, ...names: string[]): Promise<number[]> {
  const ids: number[] = []
  for (const name of names) {
    await slapd.addPerson(name)
    ids.push(await signIn(chat, name))
  }
  return ids
}

async function signIn(chat: Chat, name: string): Promise<number> {
  const { body } = await chat.request({
    method: 'POST',
    path: '/api/v1/fetch_api_key',
    headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ username: name, password: `password of ${name}` }).toString(),
  })
  return JSON.parse(body).user_id
}

async function sync({ app, realm }: Chat, options = {}) {
  const [directory] = findDirectories(app.services.db, realm)
  assert.ok(directory !== undefined)
  return syncDirectory(app.services, realm, directory, { isDryRun: false, isForced: false, ...options })
}

const userOf = async (owner: Person, id: number) =>
  (await owner.succeed(`GET /users/${id}`, { include_custom_profile_fields: true }))['user']

const auditOf = async (owner: Person) =>
  (await owner.succeed('GET /audit_log'))['entries'] as { event: string; origin: string; client: string }[]

test('names, profile fields, groups and roles follow the directory, and nothing happens twice', { skip }, async () => {
  const world = await start({
    attributes: { profile_fields: { Phone: 'telephoneNumber', Unknown: 'title' } },
    groups_search: { base_dn: `ou=groups,${BASE}` },
    groups: { 'sync-staff': 'Staff' },
    roles: { 'sync-admins': 'administrator' },
  })
  const { slapd, chat, owner } = world
  const { group_id } = await owner.succeed('POST /user_groups/create', { name: 'Staff', description: '', members: [] })
  const { id: fieldId } = await owner.succeed('POST /realm/profile_fields', { field_type: 1, name: 'Phone' })
  const [ada = 0] = await join(world, 'sync-ada')
  assert.deepEqual(await sync(chat), {
    ...{ connected: 1, found: 1, updated: 0, deactivated: 0, reactivated: 0, skipped: 0, refused: 0 },
  })

  await slapd.change('sync-ada', { cn: ['Ada *King*'], telephoneNumber: ['+44 1'], mail: ['new@example.com'] })
  for (const name of ['sync-staff', 'sync-admins']) await slapd.addGroup(name, ['sync-ada'])
  const dry = await sync(chat, { isDryRun: true })
  assert.equal((await userOf(owner, ada)).full_name, 'sync-ada of the directory')
  assert.deepEqual(dry, await sync(chat))

  const user = await userOf(owner, ada)
  assert.deepEqual([user.full_name, user.role], ['Ada King', Role.administrator])
  assert.equal(user.delivery_email, 'sync-ada@example.com', 'addresses change only here')
  assert.equal(user.profile_data[fieldId].value, '+44 1')
  assert.deepEqual((await owner.succeed(`GET /user_groups/${group_id}/members`))['members'], [ada])
  const [newest] = await auditOf(owner)
  assert.deepEqual([newest?.origin, newest?.client], ['directory', 'LDAP'])
  const again = await sync(chat)
  assert.ok(!isDirectoryProblem(again) && again.updated === 0)

  await slapd.change('sync-ada', { cn: ['x'.repeat(200)], telephoneNumber: [] })
  await chat.change({ require_unique_names: true })
  await sync(chat)
  assert.deepEqual((await userOf(owner, ada)).profile_data, {})
})

test('a picture is taken once, and again when it changes', { skip: skip || noResizing }, async () => {
  const world = await start({ attributes: { picture: 'jpegPhoto' } })
  const { slapd, chat, owner } = world
  const [bea = 0] = await join(world, 'sync-bea')
  await slapd.change('sync-bea', { jpegPhoto: [await picture(40, 40, 'jpeg')] })
  const updates = []
  for (const change of [null, null, await picture(60, 40, 'jpeg'), Buffer.from('not a picture')]) {
    if (change !== null) await slapd.change('sync-bea', { jpegPhoto: [change] })
    const report = await sync(chat)
    updates.push(isDirectoryProblem(report) ? report : report.updated)
  }
  assert.deepEqual(updates, [1, 0, 1, 0])
  const { avatar_url } = await userOf(owner, bea)
  assert.match(avatar_url, /^\/user_avatars\//)
  const { status } = await chat.request({ method: 'GET', path: avatar_url, headers: { host: 'parley.test' } })
  assert.equal(status, 200)
})

test('people who are gone or disabled are deactivated, except for the last owner, and return only if the operator wants it', {
  skip,
}, async () => {
  const world = await start({ disabled_filter: '(employeeType=disabled)', reactivates: true })
  const { slapd, chat, owner } = world
  const [gone = 0, disabled = 0, manual = 0, last = 0] = await join(
    world,
    'sync-cleo',
    'sync-dora',
    'sync-emma',
    'sync-flo',
  )
  await owner.succeed(`PATCH /users/${last}`, { role: Role.owner })
  await owner.succeed(`PATCH /users/${owner.id}`, { role: Role.administrator })
  await owner.succeed(`DELETE /users/${manual}`)
  for (const name of ['sync-cleo', 'sync-flo']) await slapd.remove(name)
  await slapd.change('sync-dora', { employeeType: ['disabled'] })

  const report = await sync(chat)
  assert.ok(!isDirectoryProblem(report))
  assert.deepEqual([report.deactivated, report.skipped, report.reactivated], [2, 1, 0])
  const active = async (id: number) => (await userOf(owner, id)).is_active
  assert.deepEqual([await active(gone), await active(disabled), await active(last)], [false, false, true])

  await slapd.change('sync-dora', { employeeType: [] })
  const next = await sync(chat)
  assert.ok(!isDirectoryProblem(next))
  assert.equal(next.reactivated, 1)
  assert.deepEqual([await active(disabled), await active(manual)], [true, false], 'not those of administrators')
})

/** Connects accounts to one more entry each: by default to one that is no longer in the directory. */
async function connect(
  { app, realm }: Chat,
  ids: readonly number[],
  { provider = 'corp', subjectOf = (id: number) => `old ${id}` } = {},
) {
  for (const id of ids)
    await app.services.transaction((tx) =>
      saveExternalIdentity(
        tx,
        { id, realmId: realm.id },
        { provider, issuer: 'dc=example,dc=com', subject: subjectOf(id) },
      ),
    )
}

test('an account with several entries stays as long as one is enabled, and counts once', { skip }, async () => {
  const world = await start()
  const { slapd, chat, owner } = world
  const [stays = 0, ...leave] = await join(world, ...Array.from({ length: 5 }, (_, at) => `sync-twice-${at}`))
  await connect(chat, [stays, ...leave])
  for (let at = 1; at < 5; at += 1) await slapd.remove(`sync-twice-${at}`)
  const report = await sync(chat)
  assert.deepEqual(report, {
    ...{ connected: 5, found: 1, updated: 0, deactivated: 4, reactivated: 0, skipped: 0, refused: 0 },
  })
  assert.ok((await userOf(owner, stays)).is_active)
})

test('an account stays as long as another directory has an enabled entry for it, or fails', { skip }, async () => {
  const another = { search_filter: '(&(employeeType=other)(uid={name}))', disabled_filter: '(title=disabled)' }
  const down = { start_tls: false, url: 'ldaps://localhost:1', timeout_seconds: 1 }
  for (const [round, failing] of [{}, down].entries()) {
    const world = await start(
      { search_filter: '(&(!(employeeType=other))(uid={name}))' },
      { another: { ...another, ...failing } },
    )
    const { slapd, chat, owner } = world
    const names = ['moved', 'disabled', 'here'].map((name) => `sync-${name}-${round}`)
    const ids = await join(world, ...names)
    const rows = await chat.app.services.db.selectFrom('externalIdentities').select(['userId', 'subject']).execute()
    const subjectOf = (id: number) => rows.find(({ userId }) => userId === id)?.subject ?? ''
    await connect(chat, ids, { provider: 'other', subjectOf })
    await slapd.change(names[0]!, { employeeType: ['other'] })
    await slapd.change(names[1]!, { employeeType: ['other'], title: ['disabled'] })
    const report = await sync(chat)
    assert.ok(!isDirectoryProblem(report))
    assert.deepEqual([report.deactivated, report.skipped], round === 0 ? [1, 0] : [0, 2])
    assert.ok((await userOf(owner, ids[0]!)).is_active)
  }
})

test('where the directory has an entry of no account, only a single one is deactivated', { skip }, async () => {
  const world = await start()
  const { slapd, chat } = world
  await join(world, 'sync-last-1', 'sync-last-2')
  for (const name of ['sync-last-1', 'sync-last-2']) await slapd.remove(name)
  const refused = await sync(chat)
  assert.ok(!isDirectoryProblem(refused))
  assert.deepEqual([refused.deactivated, refused.refused], [0, 2])
  const forced = await sync(chat, { isForced: true })
  assert.ok(!isDirectoryProblem(forced))
  assert.equal(forced.deactivated, 2)

  const alone = await start()
  await join(alone, 'sync-alone')
  await slapd.remove('sync-alone')
  const report = await sync(alone.chat)
  assert.ok(!isDirectoryProblem(report))
  assert.equal(report.deactivated, 1)
})

test('an entry without an id is left out and logged, and no connection is kept', { skip }, async () => {
  const { log, entries } = collectLog()
  const declared = { attributes: { id: 'employeeNumber' }, search_filter: '(&(title=numbered)(uid={name}))' }
  const world = await start(declared, { log })
  const { slapd, chat, owner } = world
  await slapd.addPerson('sync-without', { title: 'numbered' })
  await slapd.addPerson('sync-with', { title: 'numbered', employeeNumber: '7' })
  const id = await signIn(chat, 'sync-with')
  await slapd.change('sync-with', { cn: ['Changed'] })
  const { signal } = new AbortController()
  const report = await sync(chat, { signal })
  assert.ok(!isDirectoryProblem(report))
  assert.equal(report.updated, 1)
  assert.equal((await userOf(owner, id)).full_name, 'Changed')
  const lines = entries.filter(({ message }) => message.startsWith('Entries of a directory have no id'))
  assert.deepEqual(
    lines.map((line) => line['entries']),
    [[`uid=sync-without,ou=people,${BASE}`]],
  )
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('a directory that fails or lacks suspiciously many people deactivates nobody', { skip }, async () => {
  const names = Array.from({ length: 8 }, (_, at) => `sync-many-${at}`)
  const world = await start()
  const { slapd, chat } = world
  await join(world, ...names)
  for (const name of names.slice(0, 5)) await slapd.remove(name)
  const few = await sync(chat)
  assert.ok(!isDirectoryProblem(few))
  assert.deepEqual([few.deactivated, few.refused], [5, 0], 'five are never suspicious')

  const others = Array.from({ length: 8 }, (_, at) => `sync-more-${at}`)
  await join(world, ...others)
  for (const name of others.slice(0, 6)) await slapd.remove(name)
  const many = await sync(chat)
  assert.ok(!isDirectoryProblem(many))
  assert.deepEqual([many.deactivated, many.refused], [0, 6])

  await slapd.stop()
  assert.ok(isDirectoryProblem(await sync(chat, { isForced: true })))
  await slapd.start()
  const forced = await sync(chat, { isForced: true })
  assert.ok(!isDirectoryProblem(forced))
  assert.equal(forced.deactivated, 6)
})

test('the job reads the directory ten minutes after the start, and then every hour', { skip }, async () => {
  const world = await start()
  const { slapd, chat, owner } = world
  const [gina = 0] = await join(world, 'sync-gina')
  for (const [name, seconds] of [
    ['First', 601],
    ['Second', 3600],
  ] as const) {
    await slapd.change('sync-gina', { cn: [name] })
    await chat.clock.advance(seconds)
    await chat.app.jobs.directories?.settled()
    assert.equal((await userOf(owner, gina)).full_name, name)
  }
})

test('commands check a directory step by step, and update accounts', { skip }, async () => {
  started ??= await startSlapd()
  await started.addPerson('hedy')
  const folder = await temporaryFolder()
  const { ldap } = started.signInFile()
  const [{ urls, bindPassword, ca: _, organizations: __, ...declared } = assert.fail()] = ldap
  const file = `${folder}/sign-in.json`
  const write = (changes = {}) =>
    writeFile(
      file,
      JSON.stringify({
        ldap: [{ ...declared, url: urls, ca_file: started?.caFile, bind_password: bindPassword, ...changes }],
      }),
    )
  await write()
  const { run, json } = commandsIn(folder, { SIGN_IN_FILE: file })
  await run('org', 'create', '--name', 'Example', '--owner-email', 'ada@example.com', '--owner-name', 'Ada')

  const steps = (await json('ldap', 'test', 'hedy')) as { step: string; detail: string }[]
  const detailOf = (name: string) => steps.find(({ step }) => step === name)?.detail
  assert.deepEqual([detailOf('encryption'), detailOf('email')], ['StartTLS', 'hedy@example.com'])
  const nobody = await run('ldap', 'test', 'no*body')
  assert.equal(nobody.code, 1)
  assert.match(nobody.complaint, /search failed: no entry for .*=no\\2abody\)/)
  const synced = await json('ldap', 'sync', '--dry-run')
  assert.deepEqual([synced[0].organization, synced[0].connected], ['Example', 0])

  await write({ bind_password: 'another' })
  const refused = await run('ldap', 'test')
  assert.match(refused.complaint, /bind failed: bind_dn or its password is wrong/)
  assert.ok(![...steps, refused, nobody].some((one) => JSON.stringify(one).includes(bindPassword)))
})
