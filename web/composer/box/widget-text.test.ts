import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWidgetText, widgetText } from './widget-text.ts'

test('a poll is a command with the question, and one option per line', () => {
  assert.equal(widgetText('poll', { title: ' Lunch? ', items: ['Ramen', ' ', 'Pizza '] }), '/poll Lunch?\nRamen\nPizza')
  assert.equal(widgetText('todo', { title: 'Release', items: [] }), '/todo Release')
})

test('text becomes the title of a poll, and a typed poll is read', () => {
  assert.deepEqual(readWidgetText('poll', ''), { title: '', items: [] })
  assert.deepEqual(readWidgetText('poll', 'Lunch?'), { title: 'Lunch?', items: [] })
  assert.deepEqual(readWidgetText('poll', '/poll Lunch?\nRamen\n\nPizza'), {
    title: 'Lunch?',
    items: ['Ramen', 'Pizza'],
  })
  assert.deepEqual(readWidgetText('poll', '/poll'), { title: '', items: [] })
  assert.equal(readWidgetText('poll', 'one\ntwo'), null)
  assert.equal(readWidgetText('poll', '/todo Release\nBuild'), null)
})
