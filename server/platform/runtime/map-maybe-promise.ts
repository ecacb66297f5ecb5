/** Goes on with a value: at once when it is there, later when it is promised. */
export function mapMaybePromise<Value, Result>(
  value: Value | Promise<Value>,
  go: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(go) : go(value)
}
