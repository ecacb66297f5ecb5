import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AdmissionLimits, openAdmission, type Priority } from './admission.ts'

/**
 * Opens an admission with an event loop of its own. The test controls the time, the turns, and the duration of each
 * request.
 */
function openLoop(limits: Partial<AdmissionLimits> = {}) {
  let time = 0
  let steps: (() => void)[] = []
  const happened: string[] = []
  const gone = new Set<string>()
  const admission = openAdmission(limits, { now: () => time, soon: (step) => void steps.push(step) })

  return {
    admission,
    happened,
    gone,
    wait(milliseconds: number) {
      time += milliseconds
    },
    apply(name: string, priority: Priority = 'normal', takes = 0, isHeavy = false) {
      const run = () => {
        happened.push(name)
        time += takes
      }
      const refuse = () => happened.push(`${name} refused`)
      admission.admit(
        { run, refuse: () => void refuse(), isGone: () => gone.has(name), isHeavy: () => isHeavy },
        priority,
      )
    },
    turn() {
      const due = steps
      steps = []
      for (const step of due) step()
    },
    /** Returns what happened during the next turns. */
    turns(count = 50) {
      const before = happened.length
      for (let turn = 0; turn < count; turn += 1) this.turn()
      return happened.slice(before)
    },
  }
}

test('a request runs at once while the event loop has time, and in a later turn when it has none', () => {
  const loop = openLoop()

  loop.apply('first', 'normal', 6)
  loop.apply('second', 'normal', 6)
  loop.apply('third')
  const atOnce = [...loop.happened]

  assert.deepEqual(atOnce, ['first', 'second'])
  assert.deepEqual(loop.turns(), ['third'])
})

test('one turn of the event loop handles requests for 10 ms, or 5 ms while clients connect', () => {
  const perTurn = (isConnecting: boolean) => {
    const loop = openLoop()
    loop.apply('long', 'normal', 100)
    for (let count = 0; count < 40; count += 1) loop.apply(`${count}`, 'normal', 5)
    if (isConnecting) loop.admission.noteConnection()
    return [loop.turns(1).length, loop.turns(1).length]
  }

  assert.deepEqual(perTurn(false), [2, 2])
  assert.deepEqual(perTurn(true), [1, 2])
})

test('while clients keep connecting, each turn handles one request', () => {
  const loop = openLoop()
  loop.apply('long', 'normal', 100)
  for (let count = 0; count < 200; count += 1) loop.apply(`${count}`, 'normal', 1)

  const perTurn = Array.from({ length: 30 }, () => {
    loop.admission.noteConnection()
    return loop.turns(1).length
  })
  const later = loop.turns(1).length

  assert.deepEqual([perTurn[1], perTurn[15], perTurn[25], perTurn[29]], [5, 5, 1, 1])
  assert.equal(later, 10)
})

test('normal requests come before those of busy senders, which wait and are refused on their own', () => {
  const loop = openLoop({ maxInWork: 1, maxWaiting: 3 })
  loop.apply('held')
  for (let count = 1; count <= 5; count += 1) loop.apply(`heavy ${count}`, 'normal', 0, true)
  for (let count = 1; count <= 2; count += 1) loop.apply(`${count}`)
  loop.wait(2100)
  loop.apply('late heavy', 'normal', 0, true)
  loop.apply('late')

  assert.deepEqual(loop.happened, ['held', 'heavy 4 refused', 'heavy 5 refused', 'late heavy refused', 'late refused'])
  for (let count = 0; count < 6; count += 1) loop.admission.release()
  assert.deepEqual(loop.turns(), ['1', '2', 'heavy 1', 'heavy 2', 'heavy 3'])
})

test('a new request runs before waiting ones of busy senders, and one in eight is of a busy sender in any case', () => {
  const loop = openLoop()
  loop.apply('long', 'normal', 100)
  for (let count = 1; count <= 3; count += 1) loop.apply(`heavy ${count}`, 'normal', 0, true)
  for (let count = 1; count <= 16; count += 1) loop.apply(`${count}`)

  const order = loop.turns()

  assert.deepEqual([order.indexOf('heavy 1'), order.indexOf('heavy 2'), order.indexOf('heavy 3')], [7, 15, 18])
})

test('beyond the limit of requests in progress further ones wait in order, and beyond the second limit they are refused', () => {
  const loop = openLoop({ maxInWork: 2, maxWaiting: 3 })
  for (let count = 1; count <= 7; count += 1) loop.apply(`${count}`)

  assert.deepEqual(loop.turns(), [])
  assert.deepEqual(loop.happened, ['1', '2', '6 refused', '7 refused'])
  loop.admission.release()
  assert.deepEqual(loop.turns(), ['3'])
  loop.apply('8')
  for (let count = 0; count < 5; count += 1) loop.admission.release()
  assert.deepEqual(loop.turns(), ['4', '5', '8'])
})

test('requests are refused while the oldest one has waited for more than two seconds', () => {
  const loop = openLoop({ maxInWork: 1 })
  loop.apply('held')
  loop.apply('first')
  loop.wait(1500)
  loop.apply('second')
  loop.wait(600)
  loop.apply('third')
  loop.admission.release()
  loop.turns()
  loop.apply('fourth')

  assert.deepEqual(loop.happened, ['held', 'third refused', 'first'])
  loop.admission.release()
  assert.deepEqual(loop.turns(), ['second'])
})

test('urgent requests are handled while others wait, and before them', () => {
  const loop = openLoop({ maxInWork: 1 })
  loop.apply('held')
  loop.apply('waiting')
  loop.apply('urgent', 'urgent', 60)
  loop.apply('another', 'urgent')
  loop.admission.release()

  assert.deepEqual([...loop.happened], ['held', 'urgent'])
  assert.deepEqual(loop.turns(), ['another', 'waiting'])
})

test('while urgent requests wait one request in eight is another one', () => {
  const loop = openLoop({ maxInWork: 2 })
  loop.apply('long', 'urgent', 100)
  for (let count = 1; count <= 30; count += 1) loop.apply(`urgent ${count}`, 'urgent')
  for (let count = 1; count <= 4; count += 1) loop.apply(`${count}`)

  const order = loop.turns()

  assert.deepEqual([order.indexOf('1'), order.indexOf('2'), order.indexOf('3')], [7, 15, -1])
  assert.equal(order.length, 32)
})

test('polls come after normal requests, but one in eight is handled in any case', () => {
  const loop = openLoop()
  loop.apply('long', 'normal', 100)
  for (let count = 1; count <= 3; count += 1) loop.apply(`poll ${count}`, 'polls')
  for (let count = 1; count <= 16; count += 1) loop.apply(`${count}`)

  const order = loop.turns()
  assert.deepEqual([order.indexOf('poll 1'), order.indexOf('poll 2'), order.indexOf('poll 3')], [7, 15, 18])
})

test('polls run in order while too many of them wait, unless another request waits', () => {
  const loop = openLoop({ maxIdlePolls: 2 })
  loop.apply('long', 'normal', 60)
  for (let count = 1; count <= 4; count += 1) loop.apply(`poll ${count}`, 'polls')
  const alone = [...loop.happened]
  loop.apply('normal')
  for (let count = 5; count <= 7; count += 1) loop.apply(`poll ${count}`, 'polls')

  assert.deepEqual(alone, ['long', 'poll 1', 'poll 2'])
  assert.deepEqual(loop.happened, alone)
  assert.deepEqual(loop.turns(), ['normal', 'poll 3', 'poll 4', 'poll 5', 'poll 6', 'poll 7'])
})

test('polls are still accepted while normal requests are refused', () => {
  const loop = openLoop({ maxInWork: 1, maxWaiting: 1 })
  for (const name of ['held', 'waiting', 'beyond']) loop.apply(name)

  loop.apply('poll', 'polls')

  assert.deepEqual(loop.happened, ['held', 'beyond refused'])
  loop.admission.release()
  assert.deepEqual(loop.turns(), ['waiting'])
  loop.admission.release()
  assert.deepEqual(loop.turns(), ['poll'])
})

test('a request whose client has disconnected is skipped', () => {
  const loop = openLoop({ maxInWork: 1 })
  for (const name of ['held', 'gone', 'next']) loop.apply(name)
  loop.gone.add('gone')

  loop.admission.release()

  assert.deepEqual(loop.turns(), ['next'])
})
