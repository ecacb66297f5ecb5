import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefusal, GET, serve } from '../../../test/http/raw-client.ts'
import { connectionNetwork } from '../server.ts'

test('the number of connections of an address is limited, and a closed one makes room', async () => {
  await using server = await serve({ networkOf: (address) => address, maxConnections: 2, answersInMemory: () => true })
  const [first, second] = [server.connect(), server.connect()]
  for (const client of [first, second])
    for (let count = 1; count <= 3; count += 1) {
      client.send(GET.replace('/here', `/${count}`))
      await client.until(`"/${count}"`)
    }

  const third = server.connect()
  third.send(GET)
  const refused = await third.until('}\n')
  first.socket.end()
  await first.all()
  const fourth = server.connect()
  fourth.send(GET)

  assertRefusal(refused, 429, 'TOO_MANY_CONNECTIONS')
  assert.match(await fourth.until('"/here"'), /^HTTP\/1.1 200 OK/)
  for (const client of [second, third, fourth]) client.socket.destroy()
})

test('connections are limited by address or IPv6 network, except for this machine, proxies, and without a limit', () => {
  const settings = { MAX_CONNECTIONS_PER_ADDRESS: 100, TRUST_X_REAL_IP: false, TRUSTED_PROXIES: '' }
  const networkOf = connectionNetwork(settings)

  assert.equal(networkOf('192.0.2.7'), '192.0.2.7')
  assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7')
  assert.equal(networkOf('2001:db8:1:2:3::4'), networkOf('2001:db8:1:2::5'))
  for (const own of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '']) assert.equal(networkOf(own), null, own)
  assert.equal(connectionNetwork({ ...settings, TRUST_X_REAL_IP: true })('192.0.2.7'), null)
  assert.equal(connectionNetwork({ ...settings, MAX_CONNECTIONS_PER_ADDRESS: 0 })('192.0.2.7'), null)
})
