import assert from 'node:assert/strict'
import { test } from 'node:test'
import { availableBotKinds } from '../../people/bot-kinds.ts'
import { toShortName } from '../own-bots.ts'

const OWN = 7
const [EVERYBODY, NOBODY] = [1, 2]

const groups = [
  { id: EVERYBODY, members: [OWN], direct_subgroup_ids: [] },
  { id: NOBODY, members: [], direct_subgroup_ids: [] },
]

const rules = (change: object) =>
  ({
    is_admin: false,
    is_guest: false,
    user_id: OWN,
    realm_user_groups: groups,
    realm_can_create_bots_group: EVERYBODY,
    realm_can_create_write_only_bots_group: EVERYBODY,
    ...change,
  }) as unknown as Parameters<typeof availableBotKinds>[0]

test('organization settings decide which bots users can create, administrators included; guests can create none', () => {
  const noBots = { realm_can_create_bots_group: NOBODY }
  const nothing = { ...noBots, realm_can_create_write_only_bots_group: NOBODY }
  const kinds = (change: object) => availableBotKinds(rules(change)).map(({ id }) => id)

  assert.deepEqual(kinds({}), [1, 2, 3])
  assert.deepEqual(kinds(noBots), [2])
  assert.deepEqual(kinds(nothing), [])
  assert.deepEqual(kinds({ ...nothing, is_admin: true }), [])
  assert.deepEqual(kinds({ is_guest: true }), [])
})

test('the short name uses the plain letters of the name', () => {
  assert.equal(toShortName('Déploy Müller 2'), 'deploy-muller-2')
  assert.equal(toShortName('  Build Bot '), 'build')
  assert.equal(toShortName('ботик'), '')
})
