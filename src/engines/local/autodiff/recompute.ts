import { once, Tape, type Tensor } from './tape.ts'

/**
 * `part(x)`, keeping nothing of what happens inside for the backward pass: it is computed once more there. So of many parts in a
 * row only one's insides are in memory at a time, for about a third more work. `part` must give rows of x's own shape, and
 * depend with gradient on nothing but x and `parameters`.
 */
export function recomputed(x: Tensor, parameters: readonly Tensor[], part: (x: Tensor) => Tensor): Tensor {
  const { graph } = x.tape
  const forward = part({ ...x, tape: new Tape(graph) })
  const gradients = once((gradient) => {
    // The same values under a name that hangs on the gradient: the runtime can neither compute this earlier, nor take it for the
    // same as the forward pass.
    const value = graph.node('Reshape', [x.value, graph.node('Shape', [gradient])])
    const tape = new Tape(graph)
    const start: Tensor = { ...x, tape, value }
    return tape.gradients(part(start), gradient, [start, ...parameters])
  })
  return x.tape.operation(forward.value, forward.shape, [
    [x, (gradient) => gradients(gradient)[0]],
    ...parameters.map((parameter, i): [Tensor, (gradient: string) => string | undefined] => [
      parameter,
      (gradient) => gradients(gradient)[i + 1],
    ]),
  ])
}
