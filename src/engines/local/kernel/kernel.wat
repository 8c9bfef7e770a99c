;; Arithmetic on arrays of float32, four values at a time. Counts are multiples of 16, addresses are in bytes.
(module
  (import "kernel" "memory" (memory 1 65536))

  ;; One AdamW step. Answers 0, or NaN where a new weight or moment is not finite.
  (func (export "step")
    (param $count i32) (param $w i32) (param $m i32) (param $v i32) (param $g i32)
    (param $factor f32) (param $decay f32) (param $rate f32) (param $correction f32)
    (param $beta1 f32) (param $beta2 f32) (param $other1 f32) (param $other2 f32) (param $epsilon f32)
    (result f32)
    (local $end i32)
    (local $gs v128) (local $ms v128) (local $vs v128) (local $ws v128) (local $sum v128) (local $zero v128)
    (local $factors v128) (local $decays v128) (local $rates v128) (local $corrections v128)
    (local $beta1s v128) (local $beta2s v128) (local $other1s v128) (local $other2s v128) (local $epsilons v128)
    (local.set $factors (f32x4.splat (local.get $factor)))
    (local.set $decays (f32x4.splat (local.get $decay)))
    (local.set $rates (f32x4.splat (local.get $rate)))
    (local.set $corrections (f32x4.splat (local.get $correction)))
    (local.set $beta1s (f32x4.splat (local.get $beta1)))
    (local.set $beta2s (f32x4.splat (local.get $beta2)))
    (local.set $other1s (f32x4.splat (local.get $other1)))
    (local.set $other2s (f32x4.splat (local.get $other2)))
    (local.set $epsilons (f32x4.splat (local.get $epsilon)))
    (local.set $end (i32.add (local.get $w) (i32.shl (local.get $count) (i32.const 2))))
    (loop $next
      (local.set $gs (f32x4.mul (v128.load (local.get $g)) (local.get $factors)))
      (local.set $ms (f32x4.add
        (f32x4.mul (v128.load (local.get $m)) (local.get $beta1s))
        (f32x4.mul (local.get $gs) (local.get $other1s))))
      (local.set $vs (f32x4.add
        (f32x4.mul (v128.load (local.get $v)) (local.get $beta2s))
        (f32x4.mul (f32x4.mul (local.get $gs) (local.get $other2s)) (local.get $gs))))
      (local.set $ws (v128.load (local.get $w)))
      ;; Decay and update are added before they are taken off: one rounding of the weight.
      (local.set $ws (f32x4.sub
        (local.get $ws)
        (f32x4.add
          (f32x4.mul (local.get $ws) (local.get $decays))
          (f32x4.div
            (f32x4.mul (local.get $ms) (local.get $rates))
            (f32x4.add (f32x4.mul (f32x4.sqrt (local.get $vs)) (local.get $corrections)) (local.get $epsilons))))))
      (v128.store (local.get $m) (local.get $ms))
      (v128.store (local.get $v) (local.get $vs))
      (v128.store (local.get $w) (local.get $ws))
      ;; Finite times zero is zero; nothing else is. A first moment that is not finite makes such a weight.
      (local.set $sum (f32x4.add
        (local.get $sum)
        (f32x4.mul (f32x4.mul (local.get $vs) (local.get $zero)) (local.get $ws))))
      (local.set $w (i32.add (local.get $w) (i32.const 16)))
      (local.set $m (i32.add (local.get $m) (i32.const 16)))
      (local.set $v (i32.add (local.get $v) (i32.const 16)))
      (local.set $g (i32.add (local.get $g) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $w) (local.get $end))))
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $sum)) (f32x4.extract_lane 1 (local.get $sum)))
      (f32.add (f32x4.extract_lane 2 (local.get $sum)) (f32x4.extract_lane 3 (local.get $sum)))))

  ;; The sum of squares in double precision. Four quarters are read side by side: the processor fetches one alone too slowly.
  (func (export "squares") (param $count i32) (param $a i32) (result f64)
    (local $b i32) (local $c i32) (local $d i32) (local $end i32) (local $x v128)
    (local $a0 v128) (local $b0 v128) (local $c0 v128) (local $d0 v128)
    (local $a1 v128) (local $b1 v128) (local $c1 v128) (local $d1 v128)
    (local.set $b (i32.add (local.get $a) (local.get $count)))
    (local.set $c (i32.add (local.get $b) (local.get $count)))
    (local.set $d (i32.add (local.get $c) (local.get $count)))
    (local.set $end (local.get $b))
    (loop $next
      (local.set $x (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $a))))
      (local.set $a0 (f64x2.add (local.get $a0) (f64x2.mul (local.get $x) (local.get $x))))
      (local.set $x (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $a))))
      (local.set $a1 (f64x2.add (local.get $a1) (f64x2.mul (local.get $x) (local.get $x))))
      (local.set $x (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $b))))
      (local.set $b0 (f64x2.add (local.get $b0) (f64x2.mul (local.get $x) (local.get $x))))
      (local.set $x (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $b))))
      (local.set $b1 (f64x2.add (local.get $b1) (f64x2.mul (local.get $x) (local.get $x))))
      (local.set $x (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $c))))
      (local.set $c0 (f64x2.add (local.get $c0) (f64x2.mul (local.get $x) (local.get $x))))
      (local.set $x (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $c))))
      (local.set $c1 (f64x2.add (local.get $c1) (f64x2.mul (local.get $x) (local.get $x))))
      (local.set $x (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $d))))
      (local.set $d0 (f64x2.add (local.get $d0) (f64x2.mul (local.get $x) (local.get $x))))
      (local.set $x (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $d))))
      (local.set $d1 (f64x2.add (local.get $d1) (f64x2.mul (local.get $x) (local.get $x))))
      (local.set $a (i32.add (local.get $a) (i32.const 16)))
      (local.set $b (i32.add (local.get $b) (i32.const 16)))
      (local.set $c (i32.add (local.get $c) (i32.const 16)))
      (local.set $d (i32.add (local.get $d) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $a) (local.get $end))))
    (local.set $x (f64x2.add
      (f64x2.add
        (f64x2.add (local.get $a0) (local.get $a1))
        (f64x2.add (local.get $b0) (local.get $b1)))
      (f64x2.add
        (f64x2.add (local.get $c0) (local.get $c1))
        (f64x2.add (local.get $d0) (local.get $d1)))))
    (f64.add (f64x2.extract_lane 0 (local.get $x)) (f64x2.extract_lane 1 (local.get $x))))

  ;; Adds one array to another.
  (func (export "add") (param $count i32) (param $target i32) (param $source i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $target) (i32.shl (local.get $count) (i32.const 2))))
    (loop $next
      (v128.store (local.get $target) (f32x4.add (v128.load (local.get $target)) (v128.load (local.get $source))))
      (local.set $target (i32.add (local.get $target) (i32.const 16)))
      (local.set $source (i32.add (local.get $source) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $target) (local.get $end)))))

  ;; How far b [count] lies from a: of how many values |b − a| exceeds each of five shares of |a|, the sums of the squares of
  ;; b − a and of a in double precision, and the largest |b − a|.
  (func (export "change")
    (param $count i32) (param $a i32) (param $b i32)
    (param $t0 f32) (param $t1 f32) (param $t2 f32) (param $t3 f32) (param $t4 f32)
    (result i32 i32 i32 i32 i32 f64 f64 f32)
    (local $end i32) (local $x v128) (local $y v128) (local $d v128) (local $size v128) (local $largest v128)
    (local $n0 v128) (local $n1 v128) (local $n2 v128) (local $n3 v128) (local $n4 v128)
    (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128) (local $s4 v128)
    (local $d0 v128) (local $d1 v128) (local $a0 v128) (local $a1 v128)
    (local.set $s0 (f32x4.splat (local.get $t0)))
    (local.set $s1 (f32x4.splat (local.get $t1)))
    (local.set $s2 (f32x4.splat (local.get $t2)))
    (local.set $s3 (f32x4.splat (local.get $t3)))
    (local.set $s4 (f32x4.splat (local.get $t4)))
    (local.set $end (i32.add (local.get $a) (i32.shl (local.get $count) (i32.const 2))))
    (loop $next
      (local.set $x (v128.load (local.get $a)))
      (local.set $y (f32x4.sub (v128.load (local.get $b)) (local.get $x)))
      (local.set $d (f32x4.abs (local.get $y)))
      (local.set $size (f32x4.abs (local.get $x)))
      (local.set $largest (f32x4.pmax (local.get $largest) (local.get $d)))
      ;; True is −1 in every lane.
      (local.set $n0 (i32x4.sub
        (local.get $n0)
        (f32x4.gt (local.get $d) (f32x4.mul (local.get $size) (local.get $s0)))))
      (local.set $n1 (i32x4.sub
        (local.get $n1)
        (f32x4.gt (local.get $d) (f32x4.mul (local.get $size) (local.get $s1)))))
      (local.set $n2 (i32x4.sub
        (local.get $n2)
        (f32x4.gt (local.get $d) (f32x4.mul (local.get $size) (local.get $s2)))))
      (local.set $n3 (i32x4.sub
        (local.get $n3)
        (f32x4.gt (local.get $d) (f32x4.mul (local.get $size) (local.get $s3)))))
      (local.set $n4 (i32x4.sub
        (local.get $n4)
        (f32x4.gt (local.get $d) (f32x4.mul (local.get $size) (local.get $s4)))))
      (local.set $d (f64x2.promote_low_f32x4 (local.get $y)))
      (local.set $d0 (f64x2.add (local.get $d0) (f64x2.mul (local.get $d) (local.get $d))))
      (local.set $d (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $y) (local.get $y))))
      (local.set $d1 (f64x2.add (local.get $d1) (f64x2.mul (local.get $d) (local.get $d))))
      (local.set $size (f64x2.promote_low_f32x4 (local.get $x)))
      (local.set $a0 (f64x2.add (local.get $a0) (f64x2.mul (local.get $size) (local.get $size))))
      (local.set $size (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $x) (local.get $x))))
      (local.set $a1 (f64x2.add (local.get $a1) (f64x2.mul (local.get $size) (local.get $size))))
      (local.set $a (i32.add (local.get $a) (i32.const 16)))
      (local.set $b (i32.add (local.get $b) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $a) (local.get $end))))
    (local.set $d0 (f64x2.add (local.get $d0) (local.get $d1)))
    (local.set $a0 (f64x2.add (local.get $a0) (local.get $a1)))
    (call $lanes (local.get $n0))
    (call $lanes (local.get $n1))
    (call $lanes (local.get $n2))
    (call $lanes (local.get $n3))
    (call $lanes (local.get $n4))
    (f64.add (f64x2.extract_lane 0 (local.get $d0)) (f64x2.extract_lane 1 (local.get $d0)))
    (f64.add (f64x2.extract_lane 0 (local.get $a0)) (f64x2.extract_lane 1 (local.get $a0)))
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $largest)) (f32x4.extract_lane 1 (local.get $largest)))
      (f32.max (f32x4.extract_lane 2 (local.get $largest)) (f32x4.extract_lane 3 (local.get $largest)))))

  (func $lanes (param $n v128) (result i32)
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $n)) (i32x4.extract_lane 1 (local.get $n)))
      (i32.add (i32x4.extract_lane 2 (local.get $n)) (i32x4.extract_lane 3 (local.get $n))))))
