import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemRandom } from '#lib/secrets.ts'
import { MIN_PASSWORD_COST, openPasswords, PASSWORD_COST } from './password-hashes.ts'

const passwords = openPasswords(systemRandom, MIN_PASSWORD_COST)

test('a password only matches its own hash', async () => {
  const hash = await passwords.hash('correct horse')

  assert.equal(await passwords.verify(hash, 'correct horse'), true)
  assert.equal(await passwords.verify(hash, 'correct horsf'), false)
  assert.equal(await passwords.verify(hash, ''), false)
})

test('hashing the same password twice gives different hashes', async () => {
  const hashes = [await passwords.hash('correct horse'), await passwords.hash('correct horse')]

  assert.notEqual(hashes[0], hashes[1])
})

test('hashes are PHC strings of argon2id at 19 MiB by default', async () => {
  const salt = Buffer.from('0123456789abcdef')

  const hash = await openPasswords({ bytes: () => salt }).hash('correct horse')

  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$MDEyMzQ1Njc4OWFiY2RlZg\$[A-Za-z0-9+/]{43}$/)
  assert.deepEqual(PASSWORD_COST, { memory: 19_456, passes: 2 })
})

test('a hash with another cost is verified at that cost', async () => {
  const published = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'

  assert.equal(await passwords.verify(published, 'password'), true)
  assert.equal(await passwords.verify(published, 'passwore'), false)
})

test('a composed and a decomposed accent are the same password', async () => {
  const hash = await passwords.hash('caf\u00e9 au lait')

  assert.equal(await passwords.verify(hash, 'cafe\u0301 au lait'), true)
})

test('strings longer than any password are not composed', async () => {
  const [longest, longer] = ['x'.repeat(1000), 'x'.repeat(1001)]
  const hashes = [await passwords.hash(longest), await passwords.hash(longer), await passwords.hash('')] as const

  assert.equal(await passwords.verify(hashes[0], longest), true)
  assert.equal(await passwords.verify(hashes[1], longer), false)
  assert.equal(await passwords.verify(hashes[2], longer), false)
})

test('without a hash, no password matches, and the check takes as long', async () => {
  const slowPasswords = openPasswords(systemRandom, { memory: 19_456, passes: 4 })
  const hash = await slowPasswords.hash('correct horse')
  /** Returns the shortest of several times, because a busy machine may delay some of them. */
  const timeOf = async (job: () => Promise<unknown>) => {
    const times: number[] = []
    for (let count = 0; count < 3; count += 1) {
      const start = process.hrtime.bigint()
      await job()
      times.push(Number(process.hrtime.bigint() - start))
    }
    return Math.min(...times)
  }

  const known = await timeOf(() => slowPasswords.verify(hash, 'wrong'))
  const unknown = await timeOf(() => slowPasswords.verify(null, 'wrong'))

  assert.equal(await slowPasswords.verify(null, ''), false)
  assert.ok(unknown > known / 20, `${unknown} ns against ${known} ns`)
})

test('two passwords are hashed at once, a hundred wait, and another one is refused', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 103 }, () => passwords.hash('correct horse')))

  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 102)
  assert.equal(outcomes.at(-1)?.status, 'rejected')
  assert.match(await passwords.hash('correct horse'), /^\$argon2id/)
})

test('a failing job frees its slot', async () => {
  await assert.rejects(Promise.all([1, 2, 3].map(() => passwords.verify('$argon2id$v=19$m=1,t=1,p=1$YQ$YQ', 'x'))))

  assert.match(await passwords.hash('correct horse'), /^\$argon2id/)
})
