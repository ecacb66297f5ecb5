/** Maps a value at once, or a promise when it resolves. */
export function mapMaybePromise<Value, Result>(
  value: Value | Promise<Value>,
  go: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(go) : go(value)
}
