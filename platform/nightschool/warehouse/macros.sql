-- Statistics that a question can ask for. Each agrees with scipy or statsmodels to 1e-9.
-- The three at the end are the promise; those before are what they are made of.

-- A polynomial by Horner's rule, highest coefficient first.
CREATE OR REPLACE MACRO _polynomial(x, coefficients) AS
    list_reduce(coefficients, lambda sum, coefficient: sum * x + coefficient);

-- The standard normal's quantile: Wichura's algorithm AS 241, good to the last digits.
CREATE OR REPLACE MACRO _tail_quantile(r) AS
    CASE WHEN r <= 5 THEN
        _polynomial(r - 1.6e0, [
            7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
            1.27045825245236838258e0, 3.64784832476320460504e0, 5.76949722146069140550e0,
            4.63033784615654529590e0, 1.42343711074968357734e0
        ]) / _polynomial(r - 1.6e0, [
            1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
            1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e0,
            2.05319162663775882187e0, 1e0
        ])
    ELSE
        _polynomial(r - 5e0, [
            2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
            2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
            5.46378491116411436990e0, 6.65790464350110377720e0
        ]) / _polynomial(r - 5e0, [
            2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
            7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
            5.99832206555887937690e-1, 1e0
        ])
    END;

CREATE OR REPLACE MACRO _central_quantile(q) AS
    q * _polynomial(0.180625e0 - q * q, [
            2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
            4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
            1.3314166789178437745e2, 3.3871328727963666080e0
        ]) / _polynomial(0.180625e0 - q * q, [
            5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
            2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2,
            4.2313330701600911252e1, 1e0
        ]);

CREATE OR REPLACE MACRO normal_quantile(p) AS
    CASE
        WHEN p <= 0 OR p >= 1 THEN NULL
        WHEN abs(p - 0.5e0) <= 0.425e0 THEN _central_quantile(p - 0.5e0)
        ELSE sign(p - 0.5e0) * _tail_quantile(sqrt(-ln(least(p, 1e0 - p))))
    END;

-- How much of Student's t with df degrees of freedom lies between -t and t: the finite series for whole df.
CREATE OR REPLACE MACRO student_t_within(t, df) AS
    CASE
        WHEN df < 1 THEN NULL
        WHEN df % 2 = 0 THEN
            t / sqrt(df + t * t) * list_sum(list_transform(
                range(0, df // 2),
                lambda k: exp(lgamma(k + 0.5e0) - lgamma(0.5e0) - lgamma(k + 1e0) + k * ln(df / (df + t * t)))
            ))
        ELSE
            2e0 / pi() * (atan(t / sqrt(df::DOUBLE)) + t * sqrt(df::DOUBLE) / (df + t * t) * coalesce(list_sum(
                list_transform(
                    range(0, (df - 1) // 2),
                    lambda k: exp(lgamma(k + 1e0) - lgamma(k + 1.5e0) + ln(sqrt(pi()) / 2e0) + k * ln(df / (df + t * t)))
                )
            ), 0e0))
    END;

CREATE OR REPLACE MACRO _student_t_density(t, df) AS
    exp(lgamma((df + 1e0) / 2e0) - lgamma(df / 2e0)) / sqrt(df * pi())
    * pow(1e0 + t * t / df, -(df + 1e0) / 2e0);

-- Newton's method from the normal's quantile, which lies below: each step stays below and gets closer.
CREATE OR REPLACE MACRO _student_t_newton(confidence, df) AS
    list_reduce(
        list_prepend(normal_quantile(0.5e0 + confidence / 2e0), list_transform(range(0, 40), lambda i: 0e0)),
        lambda t, i: t - (student_t_within(t, df) - confidence) / (2e0 * _student_t_density(t, df))
    );

-- The expansion in 1 / df, for many degrees of freedom.
CREATE OR REPLACE MACRO _student_t_expansion(z, df) AS
    z + (z ** 3 + z) / (4e0 * df)
    + (5e0 * z ** 5 + 16e0 * z ** 3 + 3e0 * z) / (96e0 * df ** 2)
    + (3e0 * z ** 7 + 19e0 * z ** 5 + 17e0 * z ** 3 - 15e0 * z) / (384e0 * df ** 3)
    + (79e0 * z ** 9 + 776e0 * z ** 7 + 1482e0 * z ** 5 - 1920e0 * z ** 3 - 945e0 * z) / (92160e0 * df ** 4);

-- The t between whose plus and minus the given share lies, such as 0.95.
CREATE OR REPLACE MACRO student_t_critical(confidence, df) AS
    CASE
        WHEN df < 1 OR confidence <= 0 OR confidence >= 1 THEN NULL
        WHEN df > 500 THEN _student_t_expansion(normal_quantile(0.5e0 + confidence / 2e0), df::DOUBLE)
        ELSE _student_t_newton(confidence::DOUBLE, df::BIGINT)
    END;

CREATE OR REPLACE MACRO _wilson_bound(k, n, z, side) AS
    greatest(0e0, least(1e0,
        (k + z * z / 2e0 + side * z * sqrt(k * (n - k) / n + z * z / 4e0)) / (n + z * z)
    ));

-- wilson_interval(successes, trials): share of successes with its Wilson score interval.
-- Gives {n, share, low, high}; null without trials.
-- Example: SELECT arm, wilson_interval(count_if(standard), count(standard)) FROM v1_trials GROUP BY arm
CREATE OR REPLACE MACRO wilson_interval(successes, trials, confidence := 0.95) AS
    CASE WHEN trials > 0 THEN {
        n: trials::BIGINT,
        share: successes::DOUBLE / trials,
        low: _wilson_bound(successes::DOUBLE, trials::DOUBLE, normal_quantile(0.5e0 + confidence / 2e0), -1e0),
        high: _wilson_bound(successes::DOUBLE, trials::DOUBLE, normal_quantile(0.5e0 + confidence / 2e0), 1e0)
    } END;

-- paired_difference(treatment, baseline): mean of treatment minus baseline over pairs, with Student's t.
-- Gives {n, difference, standard_error, low, high, t, p}; a pair with a value missing is left out. Average
-- repeats inside a sample first, so that a pair is a sample.
-- Example: WITH means AS (SELECT arm, sample_id, avg(recall) AS recall FROM v1_trials GROUP BY ALL)
--          SELECT paired_difference(a.recall, b.recall) FROM means a JOIN means b USING (sample_id)
--          WHERE a.arm = 'orchestrated' AND b.arm = 'single'
CREATE OR REPLACE MACRO paired_difference(treatment, baseline, confidence := 0.95) AS
    (
        SELECT {
            n: n,
            difference: difference,
            standard_error: standard_error,
            low: difference - half,
            high: difference + half,
            t: t,
            p: 1e0 - student_t_within(abs(t), n - 1)
        }
        FROM (
            SELECT
                n,
                difference,
                standard_error,
                student_t_critical(confidence, n - 1) * standard_error AS half,
                CASE WHEN standard_error > 0 THEN difference / standard_error END AS t
            FROM (
                SELECT
                    count(d) AS n,
                    avg(d) AS difference,
                    stddev_samp(d) / sqrt(count(d)) AS standard_error
                FROM (SELECT unnest(list((treatment - baseline)::DOUBLE)) AS d)
            )
        )
    );

-- clustered_mean(list(value), list(cluster)): mean whose standard error allows values of a cluster to be alike.
-- Gives {n, clusters, mean, standard_error, low, high}; the interval is Student's t over the clusters.
-- Example: SELECT arm, clustered_mean(list(recall), list(sample_id)) FROM v1_trials GROUP BY arm
CREATE OR REPLACE MACRO clustered_mean(vals, clusters, confidence := 0.95) AS
    (
        SELECT {
            n: n,
            clusters: groups,
            mean: mean,
            standard_error: standard_error,
            low: mean - half,
            high: mean + half
        }
        FROM (
            SELECT *, student_t_critical(confidence, groups - 1) * standard_error AS half
            FROM (
                SELECT
                    sum(size)::BIGINT AS n,
                    count(*) AS groups,
                    any_value(mean) AS mean,
                    CASE WHEN count(*) > 1 THEN
                        sqrt(count(*) / (count(*) - 1e0) * sum((total - size * mean) ** 2)) / sum(size)
                    END AS standard_error
                FROM (
                    SELECT size, total, sum(total) OVER () / sum(size) OVER () AS mean
                    FROM (
                        SELECT count(*) AS size, sum(v) AS total
                        FROM (SELECT unnest(vals)::DOUBLE AS v, unnest(clusters) AS c)
                        WHERE v IS NOT NULL
                        GROUP BY c
                    )
                )
            )
        )
    );
