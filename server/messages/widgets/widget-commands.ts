/**
 * Matches the start of a message that creates a widget: `/poll Question` or `/todo Title`. Each further line is an
 * option or task.
 */
const COMMAND = /^\/(poll|todo)(?=\s|$)/

/** A list marker before an option or task. */
const LIST_MARKER = /^[-*]?\s*/

/** Returns the content of the submessage that makes the message a poll or to-do list; null for other messages. */
export function widgetContent(content: string): string | null {
  const command = COMMAND.exec(content)
  if (command === null) return null
  const [titleLine = '', ...itemLines] = content
    .slice(command[0].length)
    .split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/)
  const title = titleLine.trim()
  const lines = itemLines.map((line) => line.trim().replace(LIST_MARKER, '')).filter((line) => line !== '')
  if (command[1] === 'poll') {
    return JSON.stringify({ widget_type: 'poll', extra_data: { question: title, options: lines } })
  }
  const extra_data = { task_list_title: title, tasks: lines.map(toTask) }
  return JSON.stringify({ widget_type: 'todo', extra_data })
}

/** Returns the task of a line. The text after a colon is its description. */
function toTask(line: string): { task: string; desc: string } {
  const at = line.indexOf(':')
  if (at < 0) return { task: line, desc: '' }
  return { task: line.slice(0, at).trim(), desc: line.slice(at + 1).trim() }
}
