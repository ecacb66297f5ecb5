import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptsEncoding } from './responses.ts'

const takesGzip = (said?: string) =>
  acceptsEncoding({ headers: said === undefined ? {} : { 'accept-encoding': said } }, 'gzip')

test('an encoding is accepted if it is named, in any spelling and with any weight', () => {
  for (const said of ['gzip', 'deflate, gzip', 'br,GZIP;q=0.5', 'gzip ; q=1', 'gzip;q=0.001', 'gzip, identity;q=0'])
    assert.equal(takesGzip(said), true, said)
})

test('an encoding is not accepted if it is missing or refused', () => {
  const refused = ['gzip;q=0', 'gzip; q=0.000', 'gzip;Q=0', 'gzip ;q=0 , br', 'br, gzip;q=0\t']
  for (const said of [undefined, '', '*', 'identity', 'xgzip', ...refused]) assert.equal(takesGzip(said), false, said)
})
