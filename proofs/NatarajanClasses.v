(* How much larger the Natarajan dimension can be (chapter "More on the VC dimension of trees").

   In words: let a structure shatter d examples in the sense of Natarajan with n classes, and let its VC dimension be at
   most v, whatever tests the nodes may use. Then n d <= 2 (n - 1) v for even n, and (n + 1) d <= 2 n v for odd n. For
   three classes d <= v or 2 d <= 3 (v - 1).

   The proof differs from the one in the book, which splits the classes into halves in all ways. Here the pairs of
   classes are divided into n matchings, or n - 1 if n is even. One matching holds the pairs of at least a share of 1 / n
   or 1 / (n - 1) of the examples. The two classes of each pair in it get different colors, and the pairs can be colored
   so that at least half of the other examples have two colors. *)

From Coq Require Import List Arith Lia Bool.
From Treebounds Require Import Definitions Counting GrowthCore GrowthBound Natarajan OneFeature StumpBound NatarajanExact
  NatarajanSharp.
Import ListNotations.

(* ---- Parts of a sample ------------------------------------------------------------------------------------------- *)

Section Parts.
  Variable X : Type.
  Variable allowed : test X -> Prop.
  Variable n : nat.
  Variable s : structure.
  Variable sample : list X.
  Variables f0 f1 : nat -> nat.
  Hypothesis H : Natarajan_shattered_by allowed n s sample f0 f1.

  Let d := length sample.

  Lemma part_shattered I : NoDup I -> (forall i, In i I -> i < d) -> exists sample', length sample' = length I /\
    Natarajan_shattered_by allowed n s sample' (fun j => f0 (nth j I 0)) (fun j => f1 (nth j I 0)).
  Proof.
    intros ND HI. destruct H as (D & R). destruct I as [|i0 I0] eqn:EI.
    { exists []. split; auto. split; [cbn; lia |]. intros choice. destruct (R (fun _ => false)) as (T & HT & _).
      exists T. split; auto. }
    rewrite <- EI in *.
    assert (W : exists x0 : X, True).
    { assert (B : i0 < d) by (apply HI; rewrite EI; now left). unfold d in B. clear - B.
      destruct sample as [|x0 rest]; [cbn in B; lia | now exists x0]. }
    destruct W as (x0 & _).
    exists (map (fun i => nth i sample x0) I). rewrite map_length. split; auto.
    unfold Natarajan_shattered_by. rewrite map_length. split.
    { intros j Hj. apply D, HI, nth_In, Hj. }
    intros choice. destruct (R (fun i => choice (index i I))) as (T & HT & E). exists T. split; auto.
    rewrite map_map. rewrite <- (map_nth_seq I 0) at 1. rewrite map_map. apply map_ext_in. intros j Hj.
    apply in_seq in Hj. assert (B : nth j I 0 < d) by (apply HI, nth_In; lia).
    apply (f_equal (fun y => nth (nth j I 0) y 0)) in E. rewrite map_nth_in_seq in E by exact B.
    rewrite (nth_indep _ 0 (evaluate T x0)), map_nth in E by (rewrite map_length; exact B).
    rewrite E, index_nth by (auto; lia). reflexivity.
  Qed.

  (* The two classes of example i have different colors. *)
  Definition separated (color : nat -> bool) (i : nat) : bool := xorb (color (f0 i)) (color (f1 i)).

  Lemma separated_colors color i : separated color i = true -> color (f0 i) <> color (f1 i).
  Proof. unfold separated. destruct (color (f0 i)), (color (f1 i)); cbn; congruence. Qed.

  Variable v : nat.
  Hypothesis at_most_v : VC_dimension_at_most allowed s v.

  Lemma few_separated color : length (filter (separated color) (seq 0 d)) <= v.
  Proof.
    set (I := filter (separated color) (seq 0 d)).
    destruct (part_shattered I) as (sample' & L & HS); [apply NoDup_filter, seq_NoDup | |].
    { intros i Hi. apply filter_In in Hi as [Hi _]. apply in_seq in Hi. lia. }
    rewrite <- L. apply at_most_v.
    apply (one_example_away_from_bipartite X allowed n s sample' _ _ color (length sample') HS).
    intros j Hj _. apply separated_colors. rewrite L in Hj.
    apply (nth_In _ 0) in Hj. apply filter_In in Hj. apply Hj.
  Qed.

  Lemma few_separated_and_one color z : z < d -> separated color z = false ->
    S (length (filter (separated color) (seq 0 d))) <= v.
  Proof.
    intros Hz Z. set (I := z :: filter (separated color) (seq 0 d)).
    destruct (part_shattered I) as (sample' & L & HS).
    { constructor; [| apply NoDup_filter, seq_NoDup]. intros Hi. apply filter_In in Hi as [_ Hi]. congruence. }
    { intros i [<- | Hi]; auto. apply filter_In in Hi as [Hi _]. apply in_seq in Hi. lia. }
    change (length I <= v). rewrite <- L. apply at_most_v.
    apply (one_example_away_from_bipartite X allowed n s sample' _ _ color 0 HS).
    intros j Hj N. apply separated_colors. rewrite L in Hj. destruct j as [|j]; [easy |]. cbn [nth I].
    cbn [length I] in Hj. assert (Hj' : j < length (filter (separated color) (seq 0 d))) by lia.
    apply (nth_In _ 0) in Hj'. apply filter_In in Hj'. apply Hj'.
  Qed.

  (* The classes are smaller than n. *)
  Lemma labels_below T x : has_structure allowed n T s -> evaluate T x < n.
  Proof. clear. induction 1; cbn [evaluate]; auto; destruct (q x); auto. Qed.

  Lemma classes_below i : i < d -> f0 i < n /\ f1 i < n.
  Proof.
    intros Hi. assert (G : forall b : bool, (if b then f1 i else f0 i) < n).
    { intros b. destruct (proj2 H (fun _ => b)) as (T & HT & E).
      assert (I : In (if b then f1 i else f0 i) (map (evaluate T) sample)).
      { rewrite E. apply in_map_iff. exists i. split; auto. apply in_seq. unfold d in Hi. lia. }
      apply in_map_iff in I as (x & <- & _). now apply labels_below. }
    split; [exact (G false) | exact (G true)].
  Qed.
End Parts.

(* ---- Coloring ----------------------------------------------------------------------------------------------------- *)

Lemma filter_split {X} (p q : X -> bool) L :
  length (filter p L) = length (filter p (filter q L)) + length (filter p (filter (fun x => negb (q x)) L)).
Proof.
  induction L as [|x L IH]; auto. cbn [filter]. destruct (q x); cbn [negb filter]; destruct (p x); cbn [length]; lia.
Qed.

Lemma filter_length_same {X} (p q : X -> bool) L : (forall x, In x L -> p x = q x) ->
  length (filter p L) = length (filter q L).
Proof. intros H. f_equal. now apply filter_ext_in. Qed.

Lemma filter_negated {X} (p : X -> bool) L : length (filter p L) + length (filter (fun x => negb (p x)) L) = length L.
Proof. induction L as [|x L IH]; auto. cbn [filter]. destruct (p x); cbn [negb length]; lia. Qed.

(* Bits x(0), ..., x(B - 1): at least half of the conditions "x(u) + x(v) = t modulo 2" with u <> v can be met. *)
Lemma half_of_conditions (u v : nat -> nat) (t : nat -> bool) B : forall L,
  (forall i, In i L -> u i < B /\ v i < B /\ u i <> v i) ->
  exists x : nat -> bool, length L <= 2 * length (filter (fun i => eqb (xorb (x (u i)) (x (v i))) (t i)) L).
Proof.
  induction B as [|B IH]; intros L HL.
  { exists (fun _ => true). destruct L as [|i L]; [auto | destruct (HL i (or_introl eq_refl)); lia]. }
  set (q := fun i => (u i =? B) || (v i =? B)).
  destruct (IH (filter (fun i => negb (q i)) L)) as (x & Hx).
  { intros i Hi. apply filter_In in Hi as [Hi Q]. destruct (HL i Hi) as (H1 & H2 & H3). unfold q in Q.
    destruct (Nat.eqb_spec (u i) B), (Nat.eqb_spec (v i) B); cbn in Q; try discriminate. lia. }
  set (with_bit := fun (b : bool) c => if c =? B then b else x c).
  set (met := fun y i => eqb (xorb (y (u i) : bool) (y (v i))) (t i)).
  assert (Same : forall b, length (filter (met (with_bit b)) (filter (fun i => negb (q i)) L)) =
    length (filter (met x) (filter (fun i => negb (q i)) L))).
  { intros b. apply filter_length_same. intros i Hi. apply filter_In in Hi as [_ Q]. unfold q in Q.
    unfold met, with_bit. destruct (u i =? B), (v i =? B); cbn in Q; try discriminate. reflexivity. }
  assert (Other : length (filter (met (with_bit true)) (filter q L)) + length (filter (met (with_bit false)) (filter q L)) =
    length (filter q L)).
  { rewrite <- (filter_negated (met (with_bit true)) (filter q L)). f_equal. apply filter_length_same. intros i Hi.
    apply filter_In in Hi as [Hi Q]. destruct (HL i Hi) as (_ & _ & N). unfold q in Q. unfold met, with_bit.
    destruct (Nat.eqb_spec (u i) B) as [E1 | E1], (Nat.eqb_spec (v i) B) as [E2 | E2]; cbn in Q; try discriminate;
      [congruence | |]; [destruct (x (v i)), (t i) | destruct (x (u i)), (t i)]; reflexivity. }
  pose proof (filter_negated q L) as Parts.
  assert (G : exists b, length (filter q L) <= 2 * length (filter (met (with_bit b)) (filter q L))).
  { destruct (Nat.le_gt_cases (length (filter q L)) (2 * length (filter (met (with_bit true)) (filter q L))));
      [exists true; auto | exists false; lia]. }
  destruct G as (b & Hb). exists (with_bit b). fold (met (with_bit b)). rewrite (filter_split _ q), Same.
  change (length (filter (fun i => negb (q i)) L) <= 2 * length (filter (met x) (filter (fun i => negb (q i)) L))) in Hx.
  lia.
Qed.

(* A matching: partners have different colors, and of the other pairs at least half. *)
Lemma coloring_of_matching (partner : nat -> nat) n (f0 f1 : nat -> nat) L :
  (forall a, a < n -> partner a < n /\ partner (partner a) = a) ->
  (forall i, In i L -> f0 i < n /\ f1 i < n /\ f0 i <> f1 i) ->
  exists color : nat -> bool,
    length L + length (filter (fun i => f1 i =? partner (f0 i)) L) <= 2 * length (filter (separated f0 f1 color) L).
Proof.
  intros HP HL. set (matched := fun i => f1 i =? partner (f0 i)). set (block := fun a => Nat.min a (partner a)).
  set (side := fun a => a <? partner a).
  destruct (half_of_conditions (fun i => block (f0 i)) (fun i => block (f1 i))
    (fun i => negb (xorb (side (f0 i)) (side (f1 i)))) n (filter (fun i => negb (matched i)) L)) as (x & Hx).
  { intros i Hi. apply filter_In in Hi as [Hi M]. destruct (HL i Hi) as (A & B & N). unfold matched in M.
    destruct (Nat.eqb_spec (f1 i) (partner (f0 i))) as [E | E]; [discriminate |]. unfold block.
    destruct (HP _ A) as (PA & PPA), (HP _ B) as (PB & PPB). split; [lia | split; [lia |]]. intros Q.
    assert (C : f0 i = f1 i \/ f0 i = partner (f1 i) \/ partner (f0 i) = f1 i \/ partner (f0 i) = partner (f1 i)) by lia.
    destruct C as [C | [C | [C | C]]]; try congruence. }
  exists (fun a => xorb (x (block a)) (side a)). set (color := fun a => xorb (x (block a)) (side a)).
  rewrite (filter_split (separated f0 f1 color) matched).
  assert (E1 : length (filter (separated f0 f1 color) (filter matched L)) = length (filter matched L)).
  { pose proof (filter_negated (separated f0 f1 color) (filter matched L)) as S.
    rewrite (filter_length_same (fun i => negb (separated f0 f1 color i)) (fun _ => false)) in S.
    - assert (Z : length (filter (fun _ : nat => false) (filter matched L)) = 0)
        by (clear; induction (filter matched L); cbn; auto). lia.
    - intros i Hi. apply filter_In in Hi as [Hi M]. destruct (HL i Hi) as (A & B & N). unfold matched in M.
      apply Nat.eqb_eq in M. apply negb_false_iff. unfold separated, color, block, side.
      destruct (HP _ A) as (_ & PPA). rewrite M, PPA. rewrite (Nat.min_comm (partner (f0 i))).
      destruct (x (Nat.min (f0 i) (partner (f0 i)))), (Nat.ltb_spec (f0 i) (partner (f0 i))),
        (Nat.ltb_spec (partner (f0 i)) (f0 i)); cbn; try reflexivity; lia. }
  rewrite E1. pose proof (filter_negated matched L) as Parts.
  rewrite (filter_length_same (separated f0 f1 color)
    (fun i => eqb (xorb (x (block (f0 i))) (x (block (f1 i)))) (negb (xorb (side (f0 i)) (side (f1 i)))))
    (filter (fun i => negb (matched i)) L)).
  - fold matched. lia.
  - intros i _. unfold separated, color.
    destruct (x (block (f0 i))), (x (block (f1 i))), (side (f0 i)), (side (f1 i)); reflexivity.
Qed.

(* Of N matchings that hold all pairs, one holds a share of 1 / N of the examples. *)
Lemma some_matching (partner : nat -> nat -> nat) (which : nat -> nat) N (f0 f1 : nat -> nat) L :
  (forall i, In i L -> which i < N /\ f1 i = partner (which i) (f0 i)) -> 1 <= N ->
  exists c, c < N /\ length L <= N * length (filter (fun i => f1 i =? partner c (f0 i)) L).
Proof.
  intros HL HN.
  destruct (some_or_none (fun c => length L <= N * length (filter (fun i => f1 i =? partner c (f0 i)) L)) N)
    as [H | H]; [intros; lia | auto |]. exfalso.
  assert (S1 : length L <= sum N (fun c => length (filter (fun i => f1 i =? partner c (f0 i)) L))).
  { rewrite (length_by_value which L N) by (intros i Hi; apply HL, Hi). apply sum_le. intros c _.
    apply filter_length_le. intros i Hi E. apply Nat.eqb_eq in E. subst. apply Nat.eqb_eq, HL, Hi. }
  assert (S2 : forall M, M <= N -> sum M (fun c => N * length (filter (fun i => f1 i =? partner c (f0 i)) L)) + M <=
    M * length L).
  { induction M as [|M IH]; intros HM; [cbn; lia |]. specialize (IH ltac:(lia)). specialize (H M ltac:(lia)).
    cbn [sum]. lia. }
  specialize (S2 N (le_n N)). rewrite sum_mul in S2. nia.
Qed.

(* ---- Matchings ---------------------------------------------------------------------------------------------------- *)

(* The classes 0, ..., n - 1 on a circle, turned over: a + partner = c modulo n. *)
Definition turned_over (n c a : nat) : nat := if a <=? c then c - a else c + n - a.
Definition circle_sum (n a b : nat) : nat := if a + b <? n then a + b else a + b - n.

Ltac compare_all := repeat match goal with
  | |- context [?u <=? ?v] => destruct (Nat.leb_spec u v)
  | |- context [?u <? ?v] => destruct (Nat.ltb_spec u v)
  | |- context [?u =? ?v] => destruct (Nat.eqb_spec u v)
  | H : context [?u <=? ?v] |- _ => destruct (Nat.leb_spec u v)
  | H : context [?u <? ?v] |- _ => destruct (Nat.ltb_spec u v)
  | H : context [?u =? ?v] |- _ => destruct (Nat.eqb_spec u v)
  end.

Lemma turned_over_twice n c a : c < n -> a < n -> turned_over n c a < n /\ turned_over n c (turned_over n c a) = a.
Proof. intros Hc Ha. unfold turned_over. destruct (Nat.leb_spec a c); split; compare_all; lia. Qed.

Lemma turned_over_sum n a b : a < n -> b < n -> circle_sum n a b < n /\ turned_over n (circle_sum n a b) a = b.
Proof. intros Ha Hb. unfold turned_over, circle_sum. compare_all; lia. Qed.

(* The class that is turned over to itself, for odd m. *)
Definition fixed_class (m c : nat) : nat := if c mod 2 =? 0 then c / 2 else (c + m) / 2.

Lemma fixed_class_spec m c : m mod 2 = 1 -> c < m -> fixed_class m c < m /\
  turned_over m c (fixed_class m c) = fixed_class m c /\
  forall a, a < m -> turned_over m c a = a -> a = fixed_class m c.
Proof.
  intros Hm Hc. unfold fixed_class, turned_over.
  pose proof (Nat.div_mod_eq m 2) as E1. pose proof (Nat.div_mod_eq c 2) as E2.
  pose proof (Nat.div_mod_eq (c + m) 2) as E3. pose proof (Nat.mod_upper_bound c 2 ltac:(lia)).
  pose proof (Nat.mod_upper_bound (c + m) 2 ltac:(lia)).
  destruct (Nat.eqb_spec (c mod 2) 0); repeat split; try intros a Ha; compare_all; lia.
Qed.

(* One more class m, for odd m: the partner of the class that is turned over to itself. *)
Definition partner_of_all (m c a : nat) : nat :=
  if a =? m then fixed_class m c else if turned_over m c a =? a then m else turned_over m c a.

Lemma partner_of_all_twice m c a : m mod 2 = 1 -> c < m -> a < S m ->
  partner_of_all m c a < S m /\ partner_of_all m c (partner_of_all m c a) = a.
Proof.
  intros Hm Hc Ha. destruct (fixed_class_spec m c Hm Hc) as (F1 & F2 & F3). unfold partner_of_all.
  destruct (Nat.eqb_spec a m) as [-> | N].
  { split; [lia |]. destruct (Nat.eqb_spec (fixed_class m c) m); [lia |]. now rewrite F2, Nat.eqb_refl. }
  destruct (turned_over_twice m c a Hc ltac:(lia)) as (T1 & T2).
  destruct (Nat.eqb_spec (turned_over m c a) a) as [E | E].
  { split; [lia |]. rewrite Nat.eqb_refl. symmetry. apply F3; auto. lia. }
  split; [lia |]. destruct (Nat.eqb_spec (turned_over m c a) m); [lia |]. rewrite T2.
  destruct (Nat.eqb_spec a (turned_over m c a)); [congruence | auto].
Qed.

Definition matching_of_all (m a b : nat) : nat :=
  if a =? m then circle_sum m b b else if b =? m then circle_sum m a a else circle_sum m a b.

Lemma matching_of_all_spec m a b : m mod 2 = 1 -> a < S m -> b < S m -> a <> b ->
  matching_of_all m a b < m /\ b = partner_of_all m (matching_of_all m a b) a.
Proof.
  intros Hm Ha Hb N. unfold matching_of_all, partner_of_all.
  destruct (Nat.eqb_spec a m) as [-> | Na].
  { destruct (turned_over_sum m b b ltac:(lia) ltac:(lia)) as (C1 & C2). split; auto.
    apply fixed_class_spec; auto. lia. }
  destruct (Nat.eqb_spec b m) as [-> | Nb].
  { destruct (turned_over_sum m a a ltac:(lia) ltac:(lia)) as (C1 & C2). split; auto. now rewrite C2, Nat.eqb_refl. }
  destruct (turned_over_sum m a b ltac:(lia) ltac:(lia)) as (C1 & C2). split; auto. rewrite C2.
  destruct (Nat.eqb_spec b a); [congruence | auto].
Qed.

(* ---- The theorems --------------------------------------------------------------------------------------------------- *)

Lemma some_class {X} (allowed : test X -> Prop) n T s : has_structure allowed n T s -> 1 <= n.
Proof. induction 1; lia. Qed.

Section Dimensions.
  Variable X : Type.
  Variable allowed : test X -> Prop.
  Variable n v : nat.
  Variable s : structure.
  Variable sample : list X.
  Variables f0 f1 : nat -> nat.
  Hypothesis H : Natarajan_shattered_by allowed n s sample f0 f1.
  Hypothesis at_most_v : VC_dimension_at_most allowed s v.

  Lemma classes_of i : In i (seq 0 (length sample)) -> f0 i < n /\ f1 i < n /\ f0 i <> f1 i.
  Proof.
    intros Hi. apply in_seq in Hi. destruct (classes_below X allowed n s sample f0 f1 H i ltac:(lia)).
    destruct H as (D & _). specialize (D i ltac:(lia)). auto.
  Qed.

  Lemma dimension_by_matchings (partner : nat -> nat -> nat) (which : nat -> nat -> nat) N : 1 <= N ->
    (forall c a, c < N -> a < n -> partner c a < n /\ partner c (partner c a) = a) ->
    (forall a b, a < n -> b < n -> a <> b -> which a b < N /\ b = partner (which a b) a) ->
    S N * length sample <= 2 * N * v.
  Proof.
    intros HN HP HW.
    destruct (some_matching partner (fun i => which (f0 i) (f1 i)) N f0 f1 (seq 0 (length sample))) as (c & Hc & L); auto.
    { intros i Hi. destruct (classes_of i Hi) as (A & B & D). auto. }
    destruct (coloring_of_matching (partner c) n f0 f1 (seq 0 (length sample))) as (color & C); auto.
    { exact classes_of. }
    pose proof (few_separated X allowed n s sample f0 f1 H v at_most_v color) as V. rewrite seq_length in *. nia.
  Qed.

  Lemma any_number_of_classes : S n * length sample <= 2 * n * v.
  Proof.
    destruct (proj2 H (fun _ => false)) as (T & HT & _).
    apply (dimension_by_matchings (turned_over n) (circle_sum n)); [exact (some_class allowed n T s HT) | |].
    - intros c a. apply turned_over_twice.
    - intros a b Ha Hb _. destruct (turned_over_sum n a b Ha Hb). auto.
  Qed.

  Lemma even_number_of_classes : n mod 2 = 0 -> n * length sample <= 2 * (n - 1) * v.
  Proof.
    intros E. destruct (proj2 H (fun _ => false)) as (T & HT & _). pose proof (some_class allowed n T s HT) as H1.
    assert (G : forall m, n = S m -> S m * length sample <= 2 * m * v).
    2:{ specialize (G (n - 1) ltac:(lia)). now replace (S (n - 1)) with n in G by lia. }
    intros m En. assert (M : m mod 2 = 1).
    { rewrite En in E. pose proof (Nat.div_mod_eq (S m) 2). pose proof (Nat.div_mod_eq m 2).
      pose proof (Nat.mod_upper_bound m 2 ltac:(lia)). lia. }
    apply (dimension_by_matchings (partner_of_all m) (matching_of_all m)).
    - destruct m; [discriminate M | lia].
    - intros c a Hc Ha. rewrite En in *. now apply partner_of_all_twice.
    - intros a b Ha Hb D. rewrite En in *. now apply matching_of_all_spec.
  Qed.

  (* Three classes: the pair of an example leaves out one of them. *)
  Lemma three_classes : n = 3 -> length sample <= v \/ 2 * length sample + 3 <= 3 * v.
  Proof.
    intros E. set (color := fun k c => c =? k). set (L := seq 0 (length sample)).
    set (alike := fun k => length (filter (fun i => negb (separated f0 f1 (color k) i)) L)).
    assert (S3 : alike 0 + alike 1 + alike 2 = length L).
    { unfold alike. assert (HL : forall i, In i L -> f0 i < 3 /\ f1 i < 3 /\ f0 i <> f1 i)
        by (rewrite <- E; exact classes_of).
      clear - HL. induction L as [|i M IH]; auto. specialize (IH (fun j Hj => HL j (or_intror Hj))).
      destruct (HL i (or_introl eq_refl)) as (A & B & D). cbn [filter]. unfold separated, color in *.
      destruct (f0 i) as [|[|[|]]], (f1 i) as [|[|[|]]]; try lia; cbn [Nat.eqb xorb negb length]; lia. }
    assert (G : forall k, length sample <= v \/ S (length sample) <= v + alike k).
    { intros k. pose proof (filter_negated (separated f0 f1 (color k)) L) as Parts. fold (alike k) in Parts.
      unfold L at 2 in Parts. rewrite seq_length in Parts. destruct (Nat.eq_dec (alike k) 0) as [Z | Z].
      - left. pose proof (few_separated X allowed n s sample f0 f1 H v at_most_v (color k)). fold L in H0. lia.
      - right. unfold alike in Z.
        destruct (filter (fun i => negb (separated f0 f1 (color k) i)) L) as [|z M] eqn:F; [easy |].
        assert (I : In z (z :: M)) by now left. rewrite <- F in I. apply filter_In in I as [I N].
        apply in_seq in I. apply negb_true_iff in N.
        pose proof (few_separated_and_one X allowed n s sample f0 f1 H v at_most_v (color k) z ltac:(lia) N) as V.
        fold L in V. lia. }
    unfold L in S3. rewrite seq_length in S3. pose proof (G 0). pose proof (G 1). pose proof (G 2). lia.
  Qed.
End Dimensions.

Theorem Natarajan_dimension_by_VC_dimension :
  forall (X : Type) (allowed : test X -> Prop) (n v : nat) (s : structure) (sample : list X),
  Natarajan_shattered allowed n s sample -> VC_dimension_at_most allowed s v ->
  (n + 1) * length sample <= 2 * n * v /\ (n mod 2 = 0 -> n * length sample <= 2 * (n - 1) * v).
Proof.
  intros X allowed n v s sample (f0 & f1 & H) V. rewrite Nat.add_1_r. split.
  - exact (any_number_of_classes X allowed n v s sample f0 f1 H V).
  - exact (even_number_of_classes X allowed n v s sample f0 f1 H V).
Qed.

Theorem Natarajan_dimension_for_three_classes :
  forall (X : Type) (allowed : test X -> Prop) (v : nat) (s : structure) (sample : list X),
  Natarajan_shattered allowed 3 s sample -> VC_dimension_at_most allowed s v ->
  length sample <= v \/ 2 * length sample + 3 <= 3 * v.
Proof.
  intros X allowed v s sample (f0 & f1 & H) V. exact (three_classes X allowed 3 v s sample f0 f1 H V eq_refl).
Qed.
