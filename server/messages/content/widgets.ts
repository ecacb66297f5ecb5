/** The widgets that a message may begin: `/poll Question` and `/todo Title`, a line for each option or task. */
const COMMAND = /^\/(poll|todo)(?=\s|$)/

/** A mark of a list before an option or a task. */
const LIST_MARK = /^[-*]?\s*/

/** The content of the submessage that makes the message a poll or a list of tasks; null for other messages. */
export function widgetContent(content: string): string | null {
  const command = COMMAND.exec(content)
  if (command === null) return null
  const [first = '', ...rest] = content.slice(command[0].length).split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/)
  const title = first.trim()
  const lines = rest.map((line) => line.trim().replace(LIST_MARK, '')).filter((line) => line !== '')
  if (command[1] === 'poll') {
    return JSON.stringify({ widget_type: 'poll', extra_data: { question: title, options: lines } })
  }
  const extra_data = { task_list_title: title, tasks: lines.map(toTask) }
  return JSON.stringify({ widget_type: 'todo', extra_data })
}

/** What follows a colon describes the task. */
function toTask(line: string): { task: string; desc: string } {
  const at = line.indexOf(':')
  if (at < 0) return { task: line, desc: '' }
  return { task: line.slice(0, at).trim(), desc: line.slice(at + 1).trim() }
}
